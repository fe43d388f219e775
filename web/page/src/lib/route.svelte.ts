/** Routes of the page: the part of the address after `#`. Paths before it belong to the server. */
export interface Route {
  /** Decoded segments: `#/match/17` is `['match', '17']`. */
  path: string[];
  query: URLSearchParams;
}

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?');
  const segments = path
    .split('/')
    .filter((segment) => segment !== '')
    .map(decodeSegment);
  return { path: segments, query: new URLSearchParams(query) };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Returns the address of a route, for links. */
export function pathTo(...path: (string | number)[]): string {
  return `#/${path.map((segment) => encodeURIComponent(segment)).join('/')}`;
}

let current = $state.raw(parseRoute(location.hash));
addEventListener('hashchange', () => {
  current = parseRoute(location.hash);
  scrollTo(0, 0);
});

export const route = {
  get path(): string[] {
    return current.path;
  },
  get query(): URLSearchParams {
    return current.query;
  },
};

export function navigate(address: string): void {
  location.hash = address;
}
