/**
 * Figures: the contract between the analyses and the charts. An analysis returns a figure as plain
 * data, it is stored as JSON with the result, and render.ts turns it into SVG when the chart is
 * requested. Stored figures outlive a release: a field may be added, but not renamed or given
 * another meaning.
 *
 * Renderers accept any numbers and texts. Values that are not finite are skipped; rows, series and
 * points beyond what can be read in one chart are left out, and a note in the chart says how many.
 */

/**
 * The meaning of a colour, the same in all charts. `neutral`: the data itself, or the subject of the
 * chart. The others are judgements: `good`; `serious` and `moderate` problems; `uncertain`, not
 * decided by the data; `unknown`, too little data. Series without a tone get other colours.
 */
export type Tone = 'neutral' | 'good' | 'serious' | 'moderate' | 'uncertain' | 'unknown';

interface Described {
  /** Shown above the chart, in at most two lines. */
  title: string;
  /** Text alternative (`<desc>`) for screen readers: one or two sentences. */
  description: string;
  /** Sentences below the chart, such as what it leaves out. */
  notes?: readonly string[];
  /** The question that the whole figure is about. */
  question_id?: string;
}

/** What a mark draws, so that a program that draws the figure itself can link to it. */
interface Drawn {
  question_id?: string;
}

/** A matrix of numbers as a heat map: each cell is shaded by its value and shows it. */
export interface HeatMap extends Described {
  chart: 'heat-map';
  row_title: string;
  rows: readonly string[];
  column_title: string;
  columns: readonly string[];
  /** `cells[row][column]`; null where the cell has no value. */
  cells: readonly (readonly (number | null)[])[];
  /** The unit of the cells, such as "questions". Title of the legend. */
  unit: string;
  /** A confusion matrix: rows and columns are the same classes, and the diagonal is framed. */
  confusion?: boolean;
}

/** Horizontal stacked bars, one segment for each series. */
export interface StackedBars extends Described {
  chart: 'stacked-bars';
  /** Title of the x axis: the unit of the values. */
  axis: string;
  /** Names of the series, in the order of `values`. */
  series: readonly string[];
  /** In the order of `series`. */
  tones?: readonly Tone[];
  /** `name` is the flag, rule or other name that the bar counts, if it is one. */
  bars: readonly { label: string; name?: string; values: readonly number[] }[];
}

/** Histograms with a common x axis, one above the other. */
export interface Distributions extends Described {
  chart: 'distributions';
  /** Title of the x axis. */
  axis: string;
  /** Lower bound of the first bin. */
  from: number;
  /** Width of each bin. */
  step: number;
  /** `counts` are by bin; `mark` is the median, drawn as a vertical line, or null. */
  groups: readonly { label: string; counts: readonly number[]; mark: number | null }[];
}

/** Groups of similar texts, each group on a card, with the differences marked. */
export interface TextGroups extends Described {
  chart: 'text-groups';
  /** Small bar charts of all groups, beside each other above the cards. */
  overview?: readonly { title: string; rows: readonly { label: string; value: number }[] }[];
  groups: readonly {
    label: string;
    texts: readonly (Drawn & { pieces: readonly { text: string; differs: boolean }[]; note: string })[];
  }[];
  /** Number of groups that were found but are not in `groups`. */
  omitted: number;
}

/** A linear scale with its title. `from` may be greater than `to`. */
export interface Scale {
  title: string;
  from: number;
  to: number;
}

/** A scatter plot. */
export interface Scatter extends Described {
  chart: 'scatter';
  x: Scale;
  y: Scale;
  /** The first series is drawn on top, and its outermost points are labelled. */
  series: readonly {
    label: string;
    tone?: Tone;
    points: readonly (Drawn & { x: number; y: number; label: string })[];
  }[];
  /** Reference lines at a value of the x or the y axis, such as a minimum discrimination. */
  guides: readonly { on: 'x' | 'y'; at: number; label: string }[];
}

/** A line chart, optionally with observed values and their confidence intervals. */
export interface Curves extends Described {
  chart: 'curves';
  x: Scale;
  y: Scale;
  /** Second y axis, on the right, for lines in another unit. */
  second?: Scale;
  lines: readonly {
    label: string;
    /** In the order of x. */
    points: readonly (readonly [x: number, y: number])[];
    /** Emphasised: the line that the chart is about. */
    strong?: boolean;
    /** Whether y is on the second axis. */
    second?: boolean;
  }[];
  /**
   * `low` to `high` is the confidence interval; `n`, the number of cases, sets the mark's area;
   * `expected` is drawn as a dash at the same x.
   */
  observed: readonly {
    x: number;
    y: number;
    low: number | null;
    high: number | null;
    n: number;
    expected?: number;
  }[];
  /** Legend entries of the observed and the expected values; empty if there are none. */
  observed_label: string;
  expected_label?: string;
}

/** A Wright map (item-person map): abilities and item difficulties on one logit scale. */
export interface WrightMap extends Described {
  chart: 'wright-map';
  scale: Scale;
  /** Histogram of abilities: bins of width `step`, the first one beginning at `from`. */
  people: { label: string; from: number; step: number; counts: readonly number[] };
  questions: { label: string; places: readonly (Drawn & { at: number; label: string })[] };
}

/** Estimates with their confidence intervals in rows (a forest plot), optionally in groups. */
export interface Intervals extends Described {
  chart: 'intervals';
  axis: Scale;
  /** Named ranges of the axis, drawn behind the rows. A bound that is null lies beyond the axis. */
  bands: readonly { from: number | null; to: number | null; label: string }[];
  /** Names of the series. They differ in colour and shape. */
  series: readonly string[];
  /** In the order of `series`. */
  tones?: readonly Tone[];
  groups: readonly {
    label: string;
    /** The expected range of the group's values. A bound that is null lies beyond the axis. */
    expected?: { from: number | null; to: number | null };
    /** `series` is an index into the series. */
    rows: readonly (Drawn & { label: string; value: number; low: number; high: number; series: number })[];
    /** Number of rows of the group that are not in `rows`. */
    omitted: number;
  }[];
}

export type Figure =
  | HeatMap
  | StackedBars
  | Distributions
  | TextGroups
  | Scatter
  | Curves
  | WrightMap
  | Intervals;
