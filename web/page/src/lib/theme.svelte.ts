/** Light or dark: as the system says, until somebody chooses. */
export type Theme = 'auto' | 'light' | 'dark';

const KEY = 'intermezzo.theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

function stored(): Theme {
  const known = localStorage.getItem(KEY);
  return known === 'light' || known === 'dark' ? known : 'auto';
}

export const theme = $state({ wish: stored(), isDark: dark.matches });

/** Shows the page in the theme that was wished for. */
export function applyTheme(): void {
  theme.isDark = theme.wish === 'dark' || (theme.wish === 'auto' && dark.matches);
  document.documentElement.dataset['theme'] = theme.isDark ? 'dark' : 'light';
}

export function choose(wish: Theme): void {
  theme.wish = wish;
  if (wish === 'auto') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, wish);
  applyTheme();
}

dark.addEventListener('change', applyTheme);
