import './style/fonts.css';
import './style/tokens.css';
import './style/base.css';
import './style/components.css';

import { mount } from 'svelte';

import App from './App.svelte';
import { applyTheme } from './lib/theme.svelte.ts';

applyTheme();
const target = document.getElementById('page');
if (target) mount(App, { target });
