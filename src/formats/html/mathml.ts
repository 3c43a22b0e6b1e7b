/** MathML as TeX, where the formula has it as an annotation, else as one line of text. */
import { isElement, textOf, walk, type XmlElement } from '../xml/tree.ts';
import { toSubscript, toSuperscript } from './typography.ts';

/** `\\[…\\]`, `\\(…\\)`, `$$…$$` or `$…$` around a formula. */
const DELIMITERS = /^\\\[([\s\S]*)\\\]$|^\\\(([\s\S]*)\\\)$|^\$\$([\s\S]*)\$\$$|^\$([\s\S]*)\$$/;

export function findTex(math: XmlElement): string | undefined {
  for (const element of walk(math))
    if (element.name === 'annotation' && /tex/i.test(element.attributes.encoding ?? '')) {
      const tex = textOf(element)
        .trim()
        .replace(
          DELIMITERS,
          (_, ...parts: string[]) => parts.slice(0, 4).find((part) => part !== undefined) ?? '',
        );
      if (tex !== '') return tex;
    }
  return math.attributes.alttext?.trim() || undefined;
}

export function linearizeMath(element: XmlElement): string {
  const parts = element.children.filter(isElement);
  const part = (index: number) => {
    const child = parts[index];
    return child ? linearizeMath(child) : '';
  };
  switch (element.name) {
    case 'annotation':
    case 'annotation-xml':
      return '';
    case 'mfrac':
      return `${group(part(0))}/${group(part(1))}`;
    case 'msqrt':
      return `√${group(parts.map(linearizeMath).join(''))}`;
    case 'mroot':
      return `${toSuperscript(part(1)) ?? `${group(part(1))}`}√${group(part(0))}`;
    case 'msup':
      return part(0) + script('^', part(1), toSuperscript);
    case 'msub':
      return part(0) + script('_', part(1), toSubscript);
    case 'msubsup':
      return part(0) + script('_', part(1), toSubscript) + script('^', part(2), toSuperscript);
    case 'mtr':
      return `${parts.map(linearizeMath).join(', ')}; `;
    case 'mfenced':
      return `${element.attributes.open ?? '('}${parts.map(linearizeMath).join(', ')}${element.attributes.close ?? ')'}`;
    case 'mo': {
      const operator = textOf(element).trim();
      return /^[=<>≤≥≠≈→+−-]$/.test(operator) ? ` ${operator} ` : operator;
    }
    default:
      return parts.length > 0 ? parts.map(linearizeMath).join('') : textOf(element).trim();
  }
}

const group = (text: string) => (/^[\p{L}\p{N}.]+$/u.test(text) ? text : `(${text.trim()})`);
const script = (mark: string, text: string, translate: (text: string) => string | undefined) =>
  translate(text.trim()) ?? `${mark}${group(text)}`;
