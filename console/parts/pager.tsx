/** Which rows of a list are shown, and the way to the others. */
import { setQuery } from '../state/address.ts';
import { useCommands } from '../state/commands.ts';
import { formatCount } from '../state/format.ts';

interface PagerProps {
  /** The number of rows shown, and the most that a page has. */
  shown: number;
  size: number;
  pagination: { total: number; has_more: boolean };
  offset: number;
}

/** The offset is a parameter of the address. */
export function Pager({ shown, size, pagination: { total, has_more }, offset }: PagerProps) {
  const page = (by: number) => setQuery({ offset: String(Math.max(0, offset + by * size) || '') });
  useCommands([
    { key: ']', words: 'Next page', run: () => has_more && page(1) },
    { key: '[', words: 'Previous page', run: () => offset > 0 && page(-1) },
  ]);
  if (offset === 0 && !has_more) return null;
  return (
    <p class="pager quiet">
      <span>
        {formatCount(offset + 1)} to {formatCount(offset + shown)} of {formatCount(total)}
      </span>
      <button type="button" class="button" disabled={offset === 0} onClick={() => page(-1)}>
        Previous
      </button>
      <button type="button" class="button" disabled={!has_more} onClick={() => page(1)}>
        Next
      </button>
    </p>
  );
}
