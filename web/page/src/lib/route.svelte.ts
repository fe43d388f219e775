/** Where one is: the part of the address after `#`. Paths before it belong to the server. */
export interface Route {
  /** The words of the path: `#/match/17` is `['match', '17']`. */
  path: string[];
  query: URLSearchParams;
}

/** What an address says. */
export function parse(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?');
  const words = path
    .split('/')
    .filter((word) => word !== '')
    .map(decoded);
  return { path: words, query: new URLSearchParams(query) };
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

/** An address within the page. */
export function to(...path: (string | number)[]): string {
  return `#/${path.map((word) => encodeURIComponent(word)).join('/')}`;
}

let current = $state.raw(parse(location.hash));
addEventListener('hashchange', () => {
  current = parse(location.hash);
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

export function go(address: string): void {
  location.hash = address;
}
