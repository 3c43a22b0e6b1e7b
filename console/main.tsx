/** The console: the session, then the page of the address. */
import './style/index.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { followLink } from './state/address.ts';
import { handleKey } from './state/commands.ts';
import { hasLink, startSession } from './state/session.ts';

document.addEventListener('click', followLink);
document.addEventListener('keydown', handleKey);
render(<App />, document.getElementById('console')!);
// A sign-in link opened in a tab that shows the console changes the fragment alone.
window.addEventListener('hashchange', () => {
  if (hasLink()) void startSession();
});
void startSession();
