/** The frame of every page: navigation, account, and the region that reports what happened. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { path } from '../state/address.ts';
import { useCommands } from '../state/commands.ts';
import { announceFailure, dismissMessage, message } from '../state/messages.ts';
import { session, signOut } from '../state/session.ts';
import { Palette } from './palette.tsx';

export interface NavigationEntry {
  path: string;
  label: string;
}

interface FrameProps {
  entries: NavigationEntry[];
  title: string;
  children: ComponentChildren;
}

export function Frame({ entries, title, children }: FrameProps) {
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = `${title} · Quaestor`;
  }, [title]);
  // A new page is announced, and its first control is reached by the next Tab.
  const shown = useRef(path.value);
  useEffect(() => {
    if (shown.current !== path.value) main.current?.focus();
    shown.current = path.value;
  });
  return (
    <div class="frame">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <nav class="rail" aria-label="Pages">
        <span class="bank">Quaestor</span>
        {entries.map((entry) => (
          <a key={entry.path} href={entry.path} aria-current={isCurrent(entry.path) ? 'page' : undefined}>
            {entry.label}
          </a>
        ))}
        <Palette entries={entries} />
        <Account />
      </nav>
      <main id="main" ref={main} tabIndex={-1}>
        {children}
      </main>
      <Toast />
    </div>
  );
}

const isCurrent = (entry: string) =>
  entry === '/' ? path.value === '/' : path.value === entry || path.value.startsWith(`${entry}/`);

function Account() {
  const { client } = session.value!;
  useCommands([{ words: 'Sign out', run: () => void signOut().catch(announceFailure) }]);
  return (
    <div class="account">
      <span>
        {client.name} ({client.role})
      </span>
      <button type="button" class="link" onClick={() => signOut().catch(announceFailure)}>
        Sign out
      </button>
    </div>
  );
}

function Toast() {
  const shown = message.value;
  return (
    <div class="toast" role="status" aria-live="polite">
      {shown && (
        <div class={`card ${shown.kind}`}>
          <span>{shown.text}</span>
          {shown.action && (
            <button type="button" class="button" onClick={shown.action.run}>
              {shown.action.label}
            </button>
          )}
          <button type="button" class="button plain" onClick={dismissMessage}>
            Dismiss
          </button>
        </div>
      )}
    </div>
  );
}
