/** Short synthesised sounds. Nothing is loaded, and nothing plays before the player has pressed anything. */

export type Sound = 'slide' | 'tap' | 'rise' | 'answer' | 'thud' | 'chime' | 'clack' | 'bell' | 'tick' | 'won' | 'lost';

const VOLUME_KEY = 'intermezzo.volume';
const MUTE_KEY = 'intermezzo.mute';
const DEFAULT_VOLUME = 0.5;

const storedVolume = Number(localStorage.getItem(VOLUME_KEY) ?? DEFAULT_VOLUME);
export const sound = $state({
  volume: Number.isFinite(storedVolume) ? Math.min(1, Math.max(0, storedVolume)) : DEFAULT_VOLUME,
  isMuted: localStorage.getItem(MUTE_KEY) === 'yes',
});

export function setVolume(volume: number): void {
  sound.volume = volume;
  localStorage.setItem(VOLUME_KEY, String(volume));
}

export function setMuted(isMuted: boolean): void {
  sound.isMuted = isMuted;
  localStorage.setItem(MUTE_KEY, isMuted ? 'yes' : 'no');
}

/** A tone: frequency at the start and the end, when it begins, how long it fades, how loud it is. */
interface Tone {
  hz: [number, number];
  at?: number;
  s: number;
  gain: number;
  wave?: OscillatorType;
}
/** Filtered noise. */
interface Noise {
  noise: [number, number];
  at?: number;
  s: number;
  gain: number;
}

const note = (hz: number, at: number): Tone => ({ hz: [hz, hz], at, s: 0.5, gain: 0.3, wave: 'triangle' });
const rise = (factor: number): Tone[] => [
  { hz: [330 * factor, 495 * factor], s: 0.24, gain: 0.22, wave: 'triangle' },
  { hz: [660 * factor, 990 * factor], s: 0.2, gain: 0.06 },
];

const SOUNDS: Record<Sound, (Tone | Noise)[]> = {
  slide: [{ noise: [900, 3200], s: 0.18, gain: 0.22 }],
  tap: [
    { noise: [1800, 900], s: 0.05, gain: 0.35 },
    { hz: [190, 120], s: 0.09, gain: 0.3 },
  ],
  rise: rise(1),
  answer: rise(1.5),
  thud: [
    { hz: [140, 46], s: 0.26, gain: 0.7 },
    { noise: [500, 200], s: 0.08, gain: 0.4 },
  ],
  chime: [
    { hz: [880, 880], s: 0.5, gain: 0.2 },
    { hz: [1320, 1320], at: 0.07, s: 0.6, gain: 0.18 },
  ],
  clack: [
    { noise: [2400, 2000], s: 0.04, gain: 0.5 },
    { noise: [1500, 1200], at: 0.07, s: 0.05, gain: 0.5 },
  ],
  bell: [
    { hz: [660, 660], s: 0.9, gain: 0.24 },
    { hz: [990, 990], s: 0.7, gain: 0.12 },
    { hz: [1650, 1650], s: 0.4, gain: 0.06 },
  ],
  tick: [{ hz: [1200, 1100], s: 0.05, gain: 0.2, wave: 'square' }],
  won: [note(523, 0), note(659, 0.16), note(784, 0.32)],
  lost: [note(523, 0), note(415, 0.18), note(349, 0.36)],
};

let context: AudioContext | undefined;

export function playSound(name: Sound): void {
  // Browsers refuse to play anything before the first press.
  if (sound.isMuted || sound.volume === 0 || !navigator.userActivation.hasBeenActive) return;
  context ??= new AudioContext();
  const master = context.createGain();
  master.gain.value = sound.volume;
  master.connect(context.destination);
  for (const part of SOUNDS[name]) playPart(context, master, part);
}

function playPart(audio: AudioContext, master: GainNode, part: Tone | Noise): void {
  const start = audio.currentTime + (part.at ?? 0);
  const envelope = audio.createGain();
  envelope.gain.setValueAtTime(0.0001, start);
  envelope.gain.exponentialRampToValueAtTime(part.gain, start + 0.012);
  envelope.gain.exponentialRampToValueAtTime(0.0001, start + part.s);
  envelope.connect(master);
  const source = 'hz' in part ? toneOf(audio, part, start, envelope) : noiseOf(audio, part, start, envelope);
  source.start(start);
  source.stop(start + part.s);
}

function toneOf(audio: AudioContext, { hz, s, wave = 'sine' }: Tone, start: number, into: AudioNode): OscillatorNode {
  const tone = audio.createOscillator();
  tone.type = wave;
  tone.frequency.setValueAtTime(hz[0], start);
  tone.frequency.exponentialRampToValueAtTime(hz[1], start + s);
  tone.connect(into);
  return tone;
}

function noiseOf(audio: AudioContext, { noise, s }: Noise, start: number, into: AudioNode): AudioBufferSourceNode {
  const buffer = audio.createBuffer(1, Math.ceil(audio.sampleRate * s), audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let at = 0; at < samples.length; at += 1) samples[at] = Math.random() * 2 - 1;
  const source = audio.createBufferSource();
  source.buffer = buffer;
  const filter = audio.createBiquadFilter();
  filter.type = 'bandpass';
  filter.frequency.setValueAtTime(noise[0], start);
  filter.frequency.exponentialRampToValueAtTime(noise[1], start + s);
  source.connect(filter).connect(into);
  return source;
}
