import './styles/layers.css';
import './styles/tokens.css';
import './styles/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { afterFirstView } from './data/first-view.ts';
import { reportUncaughtErrors } from './data/ui-errors.ts';
import { handleKey } from './keys/registry.ts';
import { loadParts } from './kit/lazy-part.ts';
import { applyTheme } from './page/theme.ts';
import { App } from './shell/App.tsx';

applyTheme();
reportUncaughtErrors();
// On the window: what a control handles itself has been handled by then.
addEventListener('keydown', handleKey);
afterFirstView(loadParts);
const root = document.getElementById('root');
if (!root) throw new Error('The page has no root element.');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
