/** Drawings of single figures, which are loaded when the first picture shows them. */
const files = import.meta.glob<string>('./figures/*.svg', { query: '?url', import: 'default', eager: true });
const requested = new Set<string>();

export const figureFiles = $state<{ urls: string[] }>({ urls: [] });

/** Loads the drawing of a figure, unless it is one of those that every visit loads. */
export function loadFigure(figure: string): void {
  const url = files[`./figures/${figure}.svg`];
  if (url === undefined || requested.has(url)) return;
  requested.add(url);
  figureFiles.urls = [...requested];
}
