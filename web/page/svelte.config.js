import { vitePreprocess } from '@sveltejs/vite-plugin-svelte';

export default {
  preprocess: vitePreprocess(),
  // Four characters tell the components apart; the name is repeated in every rule and element.
  compilerOptions: { cssHash: ({ hash, filename }) => `s${hash(filename).slice(-4)}` },
};
