/**
 * Markdown as a tree of blocks: headings, paragraphs, lists, tables, quotes and code. HTML is text like any other, so a ruleset
 * cannot bring elements of its own onto the page.
 */

export type Inline =
  | { kind: 'text' | 'code'; text: string }
  | { kind: 'strong' | 'em'; inner: Inline[] }
  | { kind: 'link'; href: string; inner: Inline[] };

export type Block =
  | { kind: 'heading'; level: number; inner: Inline[] }
  | { kind: 'paragraph'; inner: Inline[] }
  | { kind: 'list'; isOrdered: boolean; items: Inline[][] }
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][] }
  | { kind: 'quote'; inner: Block[] }
  | { kind: 'code'; text: string };

const ITEM = /^\s*(?:([-*+])|(\d+)[.)])\s+(.*)$/;

export function parseMarkdown(text: string): Block[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const blocks: Block[] = [];
  let at = 0;
  const isEnd = (line: string | undefined) =>
    line === undefined || line.trim() === '' || /^(#{1,6} |> ?|```|\|)/.test(line) || ITEM.test(line);

  while (at < lines.length) {
    const line = lines[at]!;
    const heading = /^(#{1,6}) +(.*?)#*$/.exec(line);
    if (line.trim() === '') at += 1;
    else if (heading) {
      blocks.push({ kind: 'heading', level: heading[1]!.length, inner: parseInline(heading[2]!.trim()) });
      at += 1;
    } else if (line.startsWith('```')) {
      const end = lines.findIndex((other, n) => n > at && other.startsWith('```'));
      const last = end === -1 ? lines.length : end;
      blocks.push({ kind: 'code', text: lines.slice(at + 1, last).join('\n') });
      at = last + 1;
    } else if (line.startsWith('>')) {
      const from = at;
      while (lines[at]?.startsWith('>')) at += 1;
      const quoted = lines.slice(from, at).map((one) => one.replace(/^> ?/, ''));
      blocks.push({ kind: 'quote', inner: parseMarkdown(quoted.join('\n')) });
    } else if (line.startsWith('|')) {
      const from = at;
      while (lines[at]?.startsWith('|')) at += 1;
      blocks.push(tableOf(lines.slice(from, at)));
    } else if (ITEM.test(line)) at = addList(at);
    else {
      const from = at;
      do at += 1;
      while (!isEnd(lines[at]));
      blocks.push({ kind: 'paragraph', inner: parseInline(lines.slice(from, at).map(trimmed).join(' ')) });
    }
  }
  return blocks;

  function addList(from: number): number {
    const isOrdered = ITEM.exec(lines[from]!)![2] !== undefined;
    const items: string[] = [];
    let next = from;
    while (next < lines.length) {
      const found = ITEM.exec(lines[next]!);
      if (found) items.push(found[3]!);
      // A line that is indented, or follows without a gap, belongs to the item.
      else if (!isEnd(lines[next])) items[items.length - 1] += ` ${trimmed(lines[next]!)}`;
      else if (lines[next]!.trim() !== '' || !ITEM.test(lines[next + 1] ?? '')) break;
      next += 1;
    }
    blocks.push({ kind: 'list', isOrdered, items: items.map(parseInline) });
    return next;
  }
}

const trimmed = (line: string): string => line.trim();

function tableOf(lines: string[]): Block {
  const cells = (line: string) =>
    line
      .replace(/^\||\|\s*$/g, '')
      .split('|')
      .map((cell) => parseInline(cell.trim()));
  const rows = lines.filter((line) => !/^\|[\s:|-]+$/.test(line)).map(cells);
  return { kind: 'table', head: rows[0] ?? [], rows: rows.slice(1) };
}

/** Only addresses that open a page, never such that run something. */
const LINK = /^(https?:\/\/|#)/;

export function parseInline(text: string): Inline[] {
  const found = /`([^`]+)`|\*\*(.+?)\*\*|\*(.+?)\*|\[([^\]]+)\]\(([^)\s]+)\)/.exec(text);
  if (!found) return text === '' ? [] : [{ kind: 'text', text }];
  const [whole, code, strong, em, label, href] = found;
  const before: Inline[] = found.index === 0 ? [] : [{ kind: 'text', text: text.slice(0, found.index) }];
  const part: Inline =
    code !== undefined
      ? { kind: 'code', text: code }
      : strong !== undefined
        ? { kind: 'strong', inner: parseInline(strong) }
        : em !== undefined
          ? { kind: 'em', inner: parseInline(em) }
          : LINK.test(href!)
            ? { kind: 'link', href: href!, inner: parseInline(label!) }
            : { kind: 'text', text: label! };
  return [...before, part, ...parseInline(text.slice(found.index + whole.length))];
}
