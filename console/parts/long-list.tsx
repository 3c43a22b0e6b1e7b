/**
 * A list of any length with rows of one height, of which only those in view are in the document.
 *
 * Browsers limit the height of an element to some 17 million pixels. A longer list has a canvas of
 * fixed height: scrolling by less than two views moves by exact pixels, and a jump of the scroll bar
 * maps to the list in proportion. When scrolling ends, the bar is set to the position in the list.
 */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

const MAX_CANVAS_PX = 8_000_000;
const SETTLE_MS = 150;
const OVERSCAN_ROWS = 4;

interface LongListProps {
  label: string;
  total: number;
  rowPx: number;
  /** The row that is kept in view. */
  current: number;
  /** Whether the rows are about to be replaced. */
  isStale: boolean;
  onShow(first: number, last: number): void;
  renderRow(index: number): ComponentChildren;
}

export function LongList({ label, total, rowPx, current, isStale, onShow, renderRow }: LongListProps) {
  const view = useRef<HTMLElement>(null);
  const viewPx = useSignal(600);
  /** The position in the list, in pixels of the whole list. */
  const top = useSignal(0);
  const last = useRef({ scroll: 0, timer: 0, ignored: false });
  const listPx = total * rowPx;
  const canvasPx = Math.min(listPx, MAX_CANVAS_PX);
  const maxTop = Math.max(0, listPx - viewPx.value);
  const maxScroll = Math.max(1, canvasPx - viewPx.value);
  const isCapped = listPx > canvasPx;

  useLayoutEffect(() => {
    const element = view.current!;
    const observer = new ResizeObserver(() => {
      viewPx.value = element.clientHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  function moveTo(position: number) {
    top.value = Math.max(0, Math.min(position, maxTop));
    const scroll = isCapped ? (top.value / maxTop) * maxScroll : top.value;
    if (!view.current || Math.abs(view.current.scrollTop - scroll) < 1) return;
    last.current.ignored = true;
    last.current.scroll = scroll;
    view.current.scrollTop = scroll;
  }

  function onScroll() {
    const { scrollTop } = view.current!;
    const moved = scrollTop - last.current.scroll;
    last.current.scroll = scrollTop;
    if (last.current.ignored) {
      last.current.ignored = false;
      return;
    }
    const isLocal = isCapped && Math.abs(moved) < 2 * viewPx.value && scrollTop > 0 && scrollTop < maxScroll;
    const position = isLocal ? top.value + moved : isCapped ? (scrollTop / maxScroll) * maxTop : scrollTop;
    top.value = Math.max(0, Math.min(position, maxTop));
    clearTimeout(last.current.timer);
    if (isCapped) last.current.timer = window.setTimeout(() => moveTo(top.value), SETTLE_MS);
  }

  // Another list, or a shorter one, is shown from where it exists.
  useEffect(() => {
    if (top.value > maxTop) moveTo(maxTop);
  }, [total, viewPx.value]);

  useEffect(() => {
    const start = current * rowPx;
    if (start < top.value) moveTo(start);
    else if (start + rowPx > top.value + viewPx.value) moveTo(start + rowPx - viewPx.value);
  }, [current]);

  const first = Math.max(0, Math.floor(top.value / rowPx) - OVERSCAN_ROWS);
  const end = Math.min(total, Math.ceil((top.value + viewPx.value) / rowPx) + OVERSCAN_ROWS);
  useEffect(() => {
    if (total > 0) onShow(first, end - 1);
  }, [first, end, total]);

  const className = isStale ? 'long-list stale' : 'long-list';
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard
    <section class={className} ref={view} onScroll={onScroll} tabIndex={0} aria-label={label}>
      <div class="canvas" style={{ height: `${canvasPx}px` }}>
        <ul class="rows" style={{ height: `${viewPx.value}px` }}>
          {Array.from({ length: end - first }, (_, i) => (
            <li
              key={first + i}
              class="row"
              aria-posinset={first + i + 1}
              aria-setsize={total}
              aria-current={first + i === current}
              style={{ height: `${rowPx}px`, transform: `translateY(${(first + i) * rowPx - top.value}px)` }}
            >
              {renderRow(first + i)}
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
