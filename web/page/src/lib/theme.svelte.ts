/** Light or dark theme: the system setting, until the user picks one. */
export type Theme = 'auto' | 'light' | 'dark';

const STORAGE_KEY = 'intermezzo.theme';
const systemDark = matchMedia('(prefers-color-scheme: dark)');

function storedTheme(): Theme {
  const stored = localStorage.getItem(STORAGE_KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'auto';
}

export const theme = $state({ choice: storedTheme(), isDark: systemDark.matches });

export function applyTheme(): void {
  theme.isDark = theme.choice === 'dark' || (theme.choice === 'auto' && systemDark.matches);
  document.documentElement.dataset['theme'] = theme.isDark ? 'dark' : 'light';
}

export function setTheme(choice: Theme): void {
  theme.choice = choice;
  if (choice === 'auto') localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, choice);
  applyTheme();
}

systemDark.addEventListener('change', applyTheme);
