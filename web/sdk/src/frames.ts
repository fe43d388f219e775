/** WebSocket frames. The types are generated from the server's AsyncAPI document. */
import type { components } from './generated/frames.ts';

type Schemas = components['schemas'];

export type ServerFrame = Schemas['ServerFrame'];
export type ClientFrame = Schemas['ClientFrame'];
export type Control = Schemas['Control'];
export type Notice = Schemas['Notice'];
export type Bank = Schemas['Bank'];
export type Seated = Schemas['Seated'];
export type Following = Schemas['Following'];
export type ActionRequest = Schemas['AnyAction'];

/** The server frame of one type. */
export type FrameOf<T extends ServerFrame['type']> = Extract<ServerFrame, { type: T }>;

/** A command without its id, which the connection assigns. */
export type Command = ClientFrame extends infer F
  ? F extends { commandId: string }
    ? Omit<F, 'commandId'>
    : never
  : never;

export const SUBPROTOCOL = 'intermezzo.v2+json';
