/** Chooses a built-in print for a name: a scene, and a figure where one is drawn for a word of the name. */
import { stringHash } from '../match/string-hash.ts';

export interface PrintChoice {
  scene: string;
  /** Without a figure, a sigil is drawn from the name. */
  figure: string | undefined;
  /** Id of a drawing of the ruleset, instead of a figure. */
  symbol?: string;
  /** Address of a picture of the ruleset, instead of a figure. */
  image?: string;
}

const SCENES = ['hills', 'night', 'rays', 'hall', 'cave', 'sea'];

/** Figures with the scene behind them, by the words that call for them. */
const FIGURES: Record<string, [scene: string, figure: string]> = {
  aegis: ['rays', 'aegis'],
  shielded: ['rays', 'aegis'],
  ward: ['rays', 'aegis'],
  aqueduct: ['hills', 'aqueduct'],
  canal: ['hills', 'aqueduct'],
  bat: ['night', 'bat'],
  bazaar: ['hills', 'bazaar'],
  stall: ['hills', 'bazaar'],
  cart: ['hills', 'bazaar'],
  bolt: ['rays', 'bolt'],
  flare: ['rays', 'bolt'],
  telegraph: ['rays', 'bolt'],
  dynamo: ['rays', 'bolt'],
  bomber: ['hills', 'bomber'],
  captain: ['hills', 'captain'],
  drummer: ['hills', 'captain'],
  counter: ['night', 'counter'],
  deflect: ['night', 'counter'],
  unsummon: ['night', 'counter'],
  drake: ['rays', 'drake'],
  salamander: ['rays', 'drake'],
  imp: ['rays', 'drake'],
  dyeworks: ['hall', 'dye'],
  tanning: ['hall', 'dye'],
  pots: ['hall', 'dye'],
  echo: ['night', 'echo'],
  bell: ['night', 'echo'],
  song: ['night', 'echo'],
  choir: ['night', 'echo'],
  fort: ['hills', 'fort'],
  tower: ['hills', 'tower'],
  bodyguard: ['hall', 'guard'],
  sentinel: ['hall', 'guard'],
  warden: ['hall', 'guard'],
  guildhall: ['night', 'guild'],
  exchange: ['night', 'guild'],
  archer: ['hills', 'h-archer'],
  slinger: ['hills', 'h-archer'],
  barbarian: ['cave', 'h-barb'],
  bard: ['hall', 'h-bard'],
  fighter: ['hall', 'h-fighter'],
  pikeman: ['hills', 'h-pike'],
  twinblade: ['hills', 'h-pike'],
  rogue: ['night', 'h-rogue'],
  warlock: ['cave', 'h-warlock'],
  wizard: ['night', 'h-wizard'],
  prophet: ['night', 'h-wizard'],
  refusal: ['rays', 'hand'],
  snuff: ['rays', 'hand'],
  toll: ['rays', 'hand'],
  chains: ['cave', 'hand'],
  harbour: ['sea', 'harbour'],
  dugout: ['sea', 'harbour'],
  boat: ['sea', 'harbour'],
  boats: ['sea', 'harbour'],
  barge: ['sea', 'harbour'],
  ferry: ['sea', 'harbour'],
  ship: ['sea', 'harbour'],
  regatta: ['sea', 'harbour'],
  fish: ['sea', 'harbour'],
  heal: ['hills', 'heal'],
  hearts: ['hills', 'heal'],
  love: ['hills', 'heal'],
  charm: ['hills', 'heal'],
  kindle: ['rays', 'kindle'],
  blaze: ['rays', 'kindle'],
  bonfire: ['night', 'kindle'],
  furnace: ['cave', 'kindle'],
  fire: ['night', 'kindle'],
  fireworks: ['night', 'kindle'],
  torch: ['night', 'kindle'],
  watermill: ['hills', 'mill'],
  mill: ['hills', 'mill'],
  minster: ['hills', 'minster'],
  lighthouse: ['sea', 'minster'],
  ogre: ['hills', 'ogre'],
  bear: ['cave', 'ogre'],
  prodigy: ['hall', 'prodigy'],
  cleric: ['hall', 'prodigy'],
  raider: ['hills', 'raider'],
  goblin: ['hills', 'raider'],
  scholar: ['hall', 'scholar'],
  chronicle: ['hall', 'scholar'],
  almanac: ['hall', 'scholar'],
  book: ['hall', 'scholar'],
  letters: ['hall', 'scholar'],
  scry: ['hall', 'scholar'],
  omen: ['hall', 'scholar'],
  defense: ['hall', 'shield'],
  defence: ['hall', 'shield'],
  shield: ['hall', 'shield'],
  bones: ['cave', 'skull'],
  skeleton: ['cave', 'skull'],
  skull: ['cave', 'skull'],
  bone: ['cave', 'skull'],
  attack: ['rays', 'sword'],
  strike: ['rays', 'sword'],
  sword: ['rays', 'sword'],
  strength: ['rays', 'sword'],
  tales: ['night', 'tales'],
  paintings: ['cave', 'tales'],
  viper: ['cave', 'viper'],
  spider: ['cave', 'viper'],
  wolf: ['night', 'wolf'],
  rider: ['night', 'wolf'],
};

/** The hue each figure was drawn for, used where the ruleset names no colour. */
const HUES: Record<string, number> = {
  aegis: 195,
  bat: 258,
  bolt: 250,
  bomber: 30,
  captain: 165,
  counter: 280,
  drake: 8,
  echo: 285,
  guard: 52,
  hand: 52,
  harbour: 150,
  heal: 140,
  kindle: 14,
  ogre: 325,
  prodigy: 10,
  raider: 18,
  shield: 215,
  skull: 270,
  sword: 8,
  viper: 305,
  wolf: 222,
};

/** Returns the hue of the print for a name, in degrees. */
export function printHue(name: string): number {
  const { figure } = printFor(name);
  return HUES[figure ?? ''] ?? stringHash(name) % 360;
}

/** Figures that suit any game. */
const COVER_FIGURES = ['sword', 'shield', 'drake', 'harbour', 'h-wizard', 'captain', 'minster', 'h-fighter', 'wolf'];

/** Returns a scene and three figures for the cover of a game: such that its words call for, then any. */
export function coverFor(name: string, description: string): { scene: string; figures: string[] } {
  const called = `${name} ${description}`.split(/\W+/).flatMap((word) => printFor(word).figure ?? []);
  const first = stringHash(name) % COVER_FIGURES.length;
  const others = [...COVER_FIGURES.slice(first), ...COVER_FIGURES.slice(0, first)];
  return { scene: SCENES[stringHash(name) % 3]!, figures: [...new Set([...called, ...others])].slice(0, 3) };
}

/** Figures for the portraits of players, by seat. */
const PORTRAITS = ['prodigy', 'h-wizard', 'h-rogue', 'scholar', 'h-fighter', 'h-bard', 'ogre', 'h-barb'];

export function printFor(name: string): PrintChoice {
  const words = name.toLowerCase().split(/[^a-z]+/);
  for (const word of words) {
    const found = Object.hasOwn(FIGURES, word) ? FIGURES[word] : undefined;
    if (found) return { scene: found[0], figure: found[1] };
  }
  return { scene: SCENES[stringHash(name) % SCENES.length]!, figure: undefined };
}

export const portraitFor = (seat: number): PrintChoice => ({
  scene: 'hall',
  figure: PORTRAITS[seat % PORTRAITS.length],
});
