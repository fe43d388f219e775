/** Small pictures for words that many games use; whoever uses another word gets none. Drawn on 24 by 24. */
const PATHS: Record<string, string> = {
  sword: 'M19 3l2 2-9.5 9.5 1.8 1.8-1.5 1.5-2-2L6 19.6 4.4 18l3.8-3.8-2-2 1.5-1.5 1.8 1.8z',
  shield: 'M12 2.5l8 3v6c0 5-3.4 8.6-8 10-4.6-1.4-8-5-8-10v-6z',
  cross: 'M9.5 3h5v6.5H21v5h-6.5V21h-5v-6.5H3v-5h6.5z',
  heart: 'M12 20.5C5.5 15.6 3 12.500 3 8.800 3 6 5 4 7.500 4 9.300 4 11 5 12 6.800 13 5 14.700 4 16.500 4 19 4 21 6 21 8.800c0 3.700-2.500 6.800-9 11.700z',
  swirl: 'M12 4a8 8 0 0 1 8 8h-3a5 5 0 1 0-5 5v3a8 8 0 0 1 0-16zm0 5.500L16.500 15H13v5.500h-2V15H7.500z',
  drop: 'M12 2.500c3.500 4.800 6 8 6 11.500a6 6 0 0 1-12 0c0-3.500 2.500-6.700 6-11.500z',
  stone: 'M7 5l7-1.500 5 4.500 1.500 7-4 5H7.500L3 14.500z',
  leaf: 'M20 4c0 9-3.500 14-9.500 14-2 0-3.700-.8-4.500-2L4 20l-1-1 3-5.500C6 8 11 4 20 4zM8 15c2-3 5-5.500 8-7-2 3-4.500 5.500-8 7z',
  coin: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zm0 2.500a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13zM11 8h2v8h-2z',
  flame: 'M13 2c1 4 5.500 6 5.500 11.500A6.500 6.500 0 0 1 12 20.500a6.500 6.500 0 0 1-6.500-7c0-2.800 1.500-4.700 3-6 .2 1.800 1 2.700 2 3C11 7.500 11.500 4.500 13 2z',
  boots: 'M7 3h5v10c2 .5 6 1.500 7 3.500.7 1.300.5 3 .5 3.500H6c-1 0-1-6 1-9z',
  star: 'M12 2.500l2.900 6.100 6.600.9-4.800 4.600 1.200 6.600L12 17.500l-5.900 3.200 1.200-6.600L2.500 9.500l6.600-.9z',
  bow: 'M5 3c8 1 15 8 16 16l-2 .3C18 12 12 6 4.700 5zM4 18.500L13.500 9l1.500 1.500L5.500 20z',
  bolt: 'M14 2L5 13.500h6L9.500 22 19 10h-6.500z',
  eye: 'M12 5c5 0 8.500 4 10 7-1.500 3-5 7-10 7S3.500 15 2 12c1.500-3 5-7 10-7zm0 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8zm0 2a2 2 0 1 1 0 4 2 2 0 0 1 0-4z',
  book: 'M4 4h7l1 1 1-1h7v15h-7l-1 1-1-1H4zm2 2v11h5V6zm7 0v11h5V6z',
  anchor: 'M12 2a3 3 0 0 1 1.200 5.700V10H17v2h-3.800v7c2.300-.4 4.300-1.800 5.300-3.500L17 14l5-1c-.5 5-4.500 9-10 9S2.500 18 2 13l5 1-1.500 1.500c1 1.700 3 3.100 5.300 3.500v-7H7v-2h3.800V7.700A3 3 0 0 1 12 2z',
  note: 'M9 4l11-2v13.500a3 3 0 1 1-2-2.800V6.500L11 8v10.500a3 3 0 1 1-2-2.800z',
  cards: 'M4 6l9-2 3 13-9 2zm12-2h4v14h-2z',
  hourglass: 'M6 2h12v4l-4.500 6 4.500 6v4H6v-4l4.500-6L6 6zm2.500 2v1.500L12 10l3.500-4.500V4z',
  quill: 'M21 3c-7 1-13 5-15 13l-3 4 1.500 1 3-4C14 16.500 20 11 21 3z',
  mask: 'M3 6c6-2 12-2 18 0 0 8-3 13-9 13S3 14 3 6zm4 4c1 2 3 2 4 0zm6 0c1 2 3 2 4 0z',
  gear: 'M10.500 2h3l.5 2.700 2 .8 2.300-1.500 2.100 2.100L18.900 8.400l.8 2 2.800.5v3l-2.800.5-.8 2 1.500 2.300-2.100 2.100-2.300-1.500-2 .8-.5 2.700h-3l-.5-2.700-2-.8-2.300 1.500-2.100-2.100 1.500-2.300-.8-2L1.500 14v-3l2.800-.5.8-2-1.500-2.300 2.100-2.100L8 5.500l2-.8zM12 8.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7z',
};

const SAME: Record<string, string> = {
  attack: 'sword', strike: 'sword', power: 'sword', defense: 'shield', defence: 'shield', guard: 'shield', ac: 'shield', armour: 'shield',
  heal: 'cross', mend: 'cross', hp: 'heart', life: 'heart', health: 'heart', counter: 'swirl', mana: 'drop', water: 'drop',
  rock: 'stone', gold: 'coin', money: 'coin', token: 'coin', fire: 'flame', walk: 'boots', moves: 'boots', speed: 'boots', dash: 'boots',
  score: 'star', points: 'star', worth: 'star', shoot: 'bow', play_card: 'cards', draw: 'cards', cook: 'flame', sailor: 'anchor',
  fiddler: 'note', gardener: 'leaf', tinker: 'gear', writer: 'quill', poet: 'quill', player: 'mask', actor: 'mask', hour: 'hourglass',
  round: 'hourglass', turn: 'hourglass', reaction: 'bolt', action: 'sword', age: 'hourglass', crier: 'book', scribe: 'quill',
};

/** The outline of the picture for a word. */
export function iconPath(word: string | undefined): string | undefined {
  if (word === undefined) return undefined;
  const key = word.toLowerCase().replaceAll(' ', '_');
  return PATHS[key] ?? PATHS[SAME[key] ?? ''];
}
