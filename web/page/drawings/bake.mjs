/**
 * Bakes the hand-drawn wobble into the drawings: `node drawings/bake.mjs`.
 *
 * A drawing in `NAME.txt` begins with `# name` and has one shape per line: inks, then the data of a path or `c X Y R` for a circle,
 * on 100 by 100. The result is an asset of the ruleset NAME. `prints.svg` holds the built-in prints.
 */
import { readdirSync, readFileSync, writeFileSync, mkdirSync } from 'node:fs';

/** A letter is a fill with an outline, a capital letter one without, `s` and what begins with it a stroke. */
const INKS = {
  m: ['var(--body)', true],
  l: ['var(--light)', true],
  o: ['#e8a92f', true],
  r: ['#c9422f', true],
  w: ['#fffaf0', true],
  k: ['var(--print)', false],
  M: ['var(--body)', false],
  L: ['var(--light)', false],
  O: ['#e8a92f', false],
  R: ['#c9422f', false],
  W: ['#fffaf0', false],
};
const STROKES = {
  s: ['var(--print)', 24],
  S: ['var(--print)', 40],
  sr: ['#c9422f', 32],
  sb: ['var(--body)', 34],
  sl: ['var(--light)', 30],
  so: ['#e8a92f', 30],
  sw: ['#fffaf0', 26],
};

const OUTLINE = 'stroke="var(--print)" stroke-width="26" stroke-linejoin="round"';
const ROUND = 'fill="none" stroke-linecap="round" stroke-linejoin="round"';

function attributes(ink) {
  if (ink in STROKES) return `${ROUND} stroke="${STROKES[ink][0]}" stroke-width="${STROKES[ink][1]}"`;
  const [fill, isOutlined] = INKS[ink];
  return `fill="${fill}"${isOutlined ? ` ${OUTLINE}` : ''}`;
}

/** Smooth noise that depends on the place alone, so that shapes that touch stay together. */
function wobble(x, y, seed) {
  const wave = (a, b, c) => Math.sin(x * a + y * b + seed * c);
  return [
    0.5 * wave(0.23, 0.11, 1.3) + 0.35 * wave(-0.41, 0.37, 2.1) + 0.3 * wave(0.83, -0.71, 0.7),
    0.5 * wave(0.13, 0.27, 2.7) + 0.35 * wave(0.39, 0.43, 0.9) + 0.3 * wave(-0.77, 0.81, 1.9),
  ];
}

const COUNTS = { M: 2, L: 2, H: 1, V: 1, C: 6, S: 4, Q: 4, T: 2, A: 7, Z: 0 };

/** Parses the data of a path into absolute segments of points. */
export function points(d, step) {
  const tokens = d.match(/[a-zA-Z]|-?(?:\d+\.?\d*|\.\d+)/g) ?? [];
  const subpaths = [];
  let [x, y, sx, sy, cx, cy] = [0, 0, 0, 0, 0, 0];
  let [command, before, at] = ['', '', 0];
  let current;
  const line = (tx, ty) => {
    const parts = Math.max(1, Math.round(Math.hypot(tx - x, ty - y) / (step * 1.5)));
    for (let n = 1; n <= parts; n++) current.push([x + ((tx - x) * n) / parts, y + ((ty - y) * n) / parts]);
    [x, y] = [tx, ty];
  };
  const curve = (x1, y1, x2, y2, tx, ty) => {
    const length = Math.hypot(x1 - x, y1 - y) + Math.hypot(x2 - x1, y2 - y1) + Math.hypot(tx - x2, ty - y2);
    const parts = Math.max(3, Math.round(length / step));
    for (let n = 1; n <= parts; n++) {
      const [t, u] = [n / parts, 1 - n / parts];
      const mix = (a, b, c, e) => u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * e;
      current.push([mix(x, x1, x2, tx), mix(y, y1, y2, ty)]);
    }
    [x, y] = [tx, ty];
  };
  const arc = (rx, ry, large, sweep, tx, ty) => {
    const [dx, dy] = [(x - tx) / 2, (y - ty) / 2];
    const grow = Math.sqrt(Math.max(1, (dx / rx) ** 2 + (dy / ry) ** 2));
    [rx, ry] = [rx * grow, ry * grow];
    const under = (rx * ry) ** 2 - (rx * dy) ** 2 - (ry * dx) ** 2;
    const factor = Math.sqrt(Math.max(0, under / ((rx * dy) ** 2 + (ry * dx) ** 2))) * (large === sweep ? -1 : 1);
    const [mx, my] = [(factor * rx * dy) / ry, (-factor * ry * dx) / rx];
    const from = Math.atan2((dy - my) / ry, (dx - mx) / rx);
    let turn = Math.atan2((-dy - my) / ry, (-dx - mx) / rx) - from;
    if (sweep && turn < 0) turn += 2 * Math.PI;
    if (!sweep && turn > 0) turn -= 2 * Math.PI;
    const [ox, oy] = [(x + tx) / 2 + mx, (y + ty) / 2 + my];
    const parts = Math.max(3, Math.round((Math.abs(turn) * Math.max(rx, ry)) / step));
    for (let n = 1; n <= parts; n++)
      current.push([ox + rx * Math.cos(from + (turn * n) / parts), oy + ry * Math.sin(from + (turn * n) / parts)]);
    [x, y] = [tx, ty];
  };
  while (at < tokens.length) {
    if (/[a-zA-Z]/.test(tokens[at])) command = tokens[at++];
    const kind = command.toUpperCase();
    const isRelative = command !== kind;
    let values = tokens.slice(at, at + COUNTS[kind]);
    // Flags of arcs may be written without spaces.
    if (kind === 'A') {
      const flat = tokens
        .slice(at, at + 7)
        .join(' ')
        .split(' ');
      values = flat;
    }
    at += COUNTS[kind];
    values = values.map(Number);
    const [ox, oy] = isRelative ? [x, y] : [0, 0];
    if (kind === 'M') {
      [x, y] = [values[0] + ox, values[1] + oy];
      [sx, sy] = [x, y];
      current = [[x, y]];
      subpaths.push({ points: current, isClosed: false });
      command = isRelative ? 'l' : 'L';
    } else if (kind === 'Z') {
      line(sx, sy);
      current.pop();
      subpaths.at(-1).isClosed = true;
    } else {
      if (subpaths.at(-1).isClosed) {
        current = [[x, y]];
        subpaths.push({ points: current, isClosed: false });
      }
      if (kind === 'L') line(values[0] + ox, values[1] + oy);
      if (kind === 'H') line(values[0] + ox, y);
      if (kind === 'V') line(x, values[0] + oy);
      if (kind === 'C' || kind === 'S') {
        const isSmooth = kind === 'S';
        const [x1, y1] = isSmooth
          ? 'CS'.includes(before)
            ? [2 * x - cx, 2 * y - cy]
            : [x, y]
          : [values[0] + ox, values[1] + oy];
        const [x2, y2, tx, ty] = (isSmooth ? values : values.slice(2)).map((v, n) => v + (n % 2 ? oy : ox));
        [cx, cy] = [x2, y2];
        curve(x1, y1, x2, y2, tx, ty);
      }
      if (kind === 'Q' || kind === 'T') {
        const isSmooth = kind === 'T';
        const [qx, qy] = isSmooth
          ? 'QT'.includes(before)
            ? [2 * x - cx, 2 * y - cy]
            : [x, y]
          : [values[0] + ox, values[1] + oy];
        const [tx, ty] = (isSmooth ? values : values.slice(2)).map((v, n) => v + (n % 2 ? oy : ox));
        [cx, cy] = [qx, qy];
        curve(
          x + (2 * (qx - x)) / 3,
          y + (2 * (qy - y)) / 3,
          tx + (2 * (qx - tx)) / 3,
          ty + (2 * (qy - ty)) / 3,
          tx,
          ty,
        );
      }
      if (kind === 'A') arc(values[0], values[1], values[3], values[4], values[5] + ox, values[6] + oy);
    }
    before = kind;
  }
  return subpaths;
}

/** Returns the data of a path with the wobble in it. */
export function baked(d, { seed = 0, scale = 10, step = 5.5, amount = 0.75 } = {}) {
  return points(d, step)
    .map(({ points: all, isClosed }) => {
      const moved = all.map(([x, y]) => {
        const [dx, dy] = wobble(x, y, seed);
        return [Math.round((x + dx * amount) * scale), Math.round((y + dy * amount) * scale)];
      });
      let out = `M${moved[0][0]} ${moved[0][1]}l`;
      for (let n = 1; n < moved.length; n++) {
        const [dx, dy] = [moved[n][0] - moved[n - 1][0], moved[n][1] - moved[n - 1][1]];
        if (dx === 0 && dy === 0) continue;
        out += `${dx < 0 || out.endsWith('l') ? '' : ' '}${dx}${dy < 0 ? '' : ' '}${dy}`;
      }
      return `${out.endsWith('l') ? `${out}0 0` : out}${isClosed ? 'z' : ''}`;
    })
    .join('');
}

const circle = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 1 ${2 * r} 0a${r} ${r} 0 1 1 ${-2 * r} 0z`;

function shape(line, seed) {
  const [ink, ...rest] = line.trim().split(' ');
  const data = rest.join(' ');
  const d = data.startsWith('c ') ? circle(...data.slice(2).split(' ').map(Number)) : data;
  return `<path ${attributes(ink)} d="${baked(d, { seed })}"/>`;
}

function drawing(text, at) {
  const [name, ...lines] = text.trim().split('\n');
  const [id, box = '0 0 1000 1000'] = name.split(' | ');
  const shapes = lines.filter((line) => line.trim() !== '').map((line) => shape(line, at + 1));
  return `<symbol id="${id}" viewBox="${box}">${shapes.join('')}</symbol>`;
}

const folder = new URL('./', import.meta.url);
for (const file of readdirSync(folder).filter((name) => name.endsWith('.txt'))) {
  const game = file.slice(0, -4);
  const drawings = readFileSync(new URL(file, folder), 'utf8').split(/^# /m).slice(1).map(drawing);
  const assets = new URL(`../../../rulesets/${game}/assets/`, folder);
  mkdirSync(assets, { recursive: true });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg">\n${drawings.join('\n')}\n</svg>\n`;
  writeFileSync(new URL(`${game}.svg`, assets), svg);
  console.log(game, drawings.length, svg.length);
}

/** Figures of the built-in prints keep their classes and sizes. */
const prints = readFileSync(new URL('prints.svg', folder), 'utf8')
  .split('\n')
  .map((line, seed) => {
    if (!line.startsWith('<symbol id="print-figure-')) return line;
    return line
      .replaceAll(/<circle class="([^"]*)" cx="([^"]*)" cy="([^"]*)" r="([^"]*)"/g, (_, ink, x, y, r) => {
        return `<path class="${ink}" d="${circle(+x, +y, +r)}"`;
      })
      .replaceAll(/ d="([^"]*)"/g, (_, d) => {
        const path = baked(d, { seed, scale: 10, step: 5.5 });
        // Back to the units of the classes, whose strokes are in hundredths.
        return ` d="${path.replaceAll(/-?\d+/g, (n, at) => {
          const value = `${+n / 10}`.replace(/^(-?)0\./, '$1.');
          return value.startsWith('-') || /[Mlz ]$/.test(path.slice(0, at)) ? value : ` ${value}`;
        })}"`;
      });
  })
  .join('\n');
/** Portraits are in the file that every visit loads. Each other figure has a file, loaded by the first picture with it. */
const PORTRAITS = ['prodigy', 'h-wizard', 'h-rogue', 'scholar', 'h-fighter', 'h-bard', 'ogre', 'h-barb'];
const figureName = (line) => {
  const name = /^<symbol id="print-figure-([^"]+)"/.exec(line)?.[1];
  return PORTRAITS.includes(name) ? undefined : name;
};
const art = new URL('../src/art/', folder);
mkdirSync(new URL('figures/', art), { recursive: true });
const lines = prints.split('\n');
writeFileSync(new URL('prints.svg', art), lines.filter((line) => figureName(line) === undefined).join('\n'));
for (const line of lines.filter((line) => figureName(line) !== undefined)) {
  writeFileSync(
    new URL(`figures/${figureName(line)}.svg`, art),
    `<svg xmlns="http://www.w3.org/2000/svg">${line}</svg>\n`,
  );
}
console.log('prints', prints.length);
