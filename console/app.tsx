import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { PAGES, type Page } from './pages/index.ts';
import { SignIn } from './pages/sign-in.tsx';
import { Frame, type NavigationEntry } from './parts/frame.tsx';
import { FailedPage, Loading } from './parts/states.tsx';
import { path } from './state/address.ts';
import { may, startSession, state } from './state/session.ts';

export function App() {
  const current = state.value;
  if (current.kind === 'loading') return <Loading what="the console" />;
  if (current.kind === 'failed') return <FailedPage error={current.error} onRetry={startSession} />;
  if (current.kind === 'signed-out') return <SignIn reason={current.reason} />;
  const [, first = '', second = ''] = /^\/(?:console\/([^/]+)(?:\/([^/]+))?)?$/.exec(path.value) ?? [];
  const page = PAGES.find(({ name, hasId = false }) => name === first && hasId === (second !== ''));
  const entries: NavigationEntry[] = PAGES.filter(isListed).map(({ name, title }) => ({
    path: toPath(name),
    label: title,
  }));
  return (
    <Frame entries={entries} title={page?.title ?? 'Not found'}>
      {page && isAllowed(page) ? <LazyPage key={page.name + second} page={page} id={second} /> : <NotFound />}
    </Frame>
  );
}

const isAllowed = ({ scopes, anyOf }: Page) =>
  may(...scopes) && (anyOf === undefined || anyOf.some((scope) => may(scope)));
const isListed = (page: Page) => !page.hasId && isAllowed(page);
const toPath = (name: string) => (name === '' ? '/' : `/console/${name}`);

function NotFound() {
  return (
    <>
      <h1>There is no such page</h1>
      <p>
        <a href="/">Go to the start page</a>
      </p>
    </>
  );
}

/** Loads the code of a page when it is opened. A page that fails leaves the frame as it is. */
function LazyPage({ page, id }: { page: Page; id: string }) {
  const loaded = useSignal<{ component: ComponentType<{ id: string }> } | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const [failure, reset] = useErrorBoundary();
  const load = () => {
    error.value = undefined;
    page.load().then(
      (component) => {
        loaded.value = { component };
      },
      (problem: unknown) => {
        error.value = problem;
      },
    );
  };
  useEffect(load, [page]);
  if (failure) return <FailedPage error={failure} onRetry={reset} />;
  if (error.value) return <FailedPage error={error.value} onRetry={load} />;
  if (!loaded.value) return <Loading what={page.title.toLowerCase()} />;
  const { component: Component } = loaded.value;
  return <Component id={id} />;
}
