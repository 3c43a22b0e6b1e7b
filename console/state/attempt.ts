/** An action of the person, with a message about its outcome. */
import { announce, announceFailure } from './messages.ts';
import { reloadAll } from './resource.ts';

/** Announces the words and reloads what the page shows, or announces the failure. */
export async function attempt(words: string, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
    announce(words);
    reloadAll();
  } catch (error) {
    announceFailure(error);
  }
}
