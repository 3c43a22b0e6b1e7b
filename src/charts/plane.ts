/** The plane of two scales that points and lines are drawn on; a third scale may stand on the right. */
import { scaleLinear } from 'd3-scale';
import { axisBelow, axisBeside, endsOf } from './axis.ts';
import type { Scale } from './figure.ts';
import { at, label, MARGIN } from './svg.ts';

const TITLE = 28;

interface Scales {
  x: Scale;
  y: Scale;
  second?: Scale | undefined;
}

interface Layout {
  width: number;
  height: number;
  /** For what comes in whole numbers only. */
  whole?: boolean;
  /** The class of what is written beside the scale on the right. */
  secondClass?: string;
}

export type Plane = NonNullable<ReturnType<typeof planeFor>>;

/** Places on the plane are told from the upper left corner of the plot. Undefined where a scale cannot be drawn. */
export function planeFor(scales: Scales, { width, height, whole, secondClass }: Layout) {
  const ends = [scales.x, scales.y, scales.second ?? scales.y].map(endsOf);
  const [across, up, upRight] = ends;
  if (!across || !up || !upRight) return undefined;
  const x = scaleLinear(across, [0, width]);
  const y = scaleLinear(up, [height, 0]);
  const second = scaleLinear(upRight, [height, 0]);
  const below = axisBelow(x, scales.x.title, whole);
  const onLeft = axisBeside(y, 'left');
  const onRight = scales.second && axisBeside(second, 'right', `quiet ${secondClass ?? ''}`.trim());
  const right = onRight?.width ?? below.overhang;
  /** Two titles share the line above the plot. */
  const titleWidth = (beside: number) => {
    const whole = onLeft.width + width + right + beside;
    return scales.second ? whole / 2 - 10 : whole;
  };

  /** `above`: room between the titles of the scales and the plot. `beside`: room on the right, to be drawn on as well. */
  const draw = (top: number, content: string, above: number, beside: number) => {
    const titles = [
      label(-onLeft.width, -above - 14, scales.y.title, titleWidth(beside), { class: 'heading' }),
      ...(scales.second
        ? [
            label(width + right + beside, -above - 14, scales.second.title, titleWidth(beside), {
              class: `heading ${secondClass ?? ''}`.trim(),
              anchor: 'end',
            }),
          ]
        : []),
    ];
    const corner = `translate(${at(MARGIN + onLeft.width)} ${at(top + TITLE + above)})`;
    return [
      `<g transform="${corner}">`,
      below.draw(0, height),
      onLeft.draw(0, width),
      onRight?.draw(0, width) ?? '',
      ...titles,
      content,
      '</g>',
    ].join('\n');
  };
  return {
    x,
    y,
    /** The same as `y` where there is no scale on the right. */
    second,
    width: onLeft.width + width + right,
    height: TITLE + height + below.height,
    draw,
  };
}
