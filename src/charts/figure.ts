/** What can be drawn: plain data, each kind with its own function beside this file. */

interface Described {
  title: string;
  /** What the picture shows, in a sentence or two, for whoever cannot see it. */
  description: string;
}

/** A table of numbers as shades. */
export interface HeatMap extends Described {
  chart: 'heat-map';
  row_title: string;
  rows: readonly string[];
  column_title: string;
  columns: readonly string[];
  /** By row, then column; null where there is nothing to count. */
  cells: readonly (readonly (number | null)[])[];
  /** What a cell counts, such as "questions". */
  unit: string;
  /** Rows and columns are the same classes: where they meet is where things should be. */
  confusion?: boolean;
}

/** Horizontal bars, each made of parts. */
export interface StackedBars extends Described {
  chart: 'stacked-bars';
  /** What the length of a bar counts. */
  axis: string;
  /** What the parts of the bars stand for, in their order. */
  series: readonly string[];
  bars: readonly { label: string; values: readonly number[] }[];
}

/** Histograms on one axis, one above the other. */
export interface Distributions extends Described {
  chart: 'distributions';
  axis: string;
  /** Where the first bin begins, and how wide each is. */
  from: number;
  step: number;
  /** `mark` is a value to be marked on the axis, such as the median. */
  groups: readonly { label: string; counts: readonly number[]; mark: number | null }[];
}

/** Texts that belong together, each beside the others, with what differs marked. */
export interface TextGroups extends Described {
  chart: 'text-groups';
  groups: readonly {
    label: string;
    texts: readonly { pieces: readonly { text: string; differs: boolean }[]; note: string }[];
  }[];
  /** How many groups there are that are not shown. */
  omitted: number;
}

export type Figure = HeatMap | StackedBars | Distributions | TextGroups;
