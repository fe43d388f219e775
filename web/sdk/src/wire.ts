/** The frames of the WebSocket, by their types. The shapes come from the server's AsyncAPI document. */
import type { components } from './generated/frames.ts';

type Schemas = components['schemas'];

export type ServerFrame = Schemas['ServerFrame'];
export type ClientFrame = Schemas['ClientFrame'];
export type Control = Schemas['Control'];
export type Notice = Schemas['Notice'];
export type Bank = Schemas['Bank'];
export type Seated = Schemas['Seated'];
export type Following = Schemas['Following'];
export type ActionWish = Schemas['Action'];

/** The frame of one type. */
export type From<T extends ServerFrame['type']> = Extract<ServerFrame, { type: T }>;

/** A command before it has its id. */
export type Wish = ClientFrame extends infer F
  ? F extends { commandId: string }
    ? Omit<F, 'commandId'>
    : never
  : never;

/** The subprotocol that is asked for. */
export const SUBPROTOCOL = 'intermezzo.v1+json';
