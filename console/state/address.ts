/**
 * The address of the page, which is its state: what a page shows follows from its path and query
 * alone, so that a link, a reload and the back button show the same.
 */
import { computed, signal } from '@preact/signals';

const location = signal(new URL(window.location.href));

export const path = computed(() => location.value.pathname);
export const query = computed(() => location.value.searchParams);

const update = () => {
  location.value = new URL(window.location.href);
};

window.addEventListener('popstate', update);

export function navigate(to: string, { replace = false } = {}): void {
  const url = new URL(to, window.location.href);
  if (url.href === window.location.href) return;
  if (replace) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  update();
  if (!replace) window.scrollTo(0, 0);
}

/** Changes parameters of the query; undefined and empty ones are removed. */
export function setQuery(
  changes: Record<string, string | readonly string[] | undefined>,
  options = { replace: false },
): void {
  const url = new URL(window.location.href);
  for (const [name, value] of Object.entries(changes)) {
    url.searchParams.delete(name);
    for (const each of [value ?? []].flat()) if (each !== '') url.searchParams.append(name, each);
  }
  navigate(url.href, options);
}

/** Follows a link to a page of the console without loading it, unless the browser is asked to open it elsewhere. */
export function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element).closest('a');
  if (link?.target !== '' || link.hasAttribute('download')) return;
  const url = new URL(link.href);
  const isPage = url.origin === window.location.origin && /^\/(?:console\/.*)?$/.test(url.pathname);
  if (!isPage || (url.hash !== '' && url.pathname === window.location.pathname)) return;
  event.preventDefault();
  navigate(url.href);
}
