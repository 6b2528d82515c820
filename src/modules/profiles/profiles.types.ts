import type { JsonValue } from "../../lib/json/json.ts";

/** What happens when a device opens more MQTT sessions than it may have: the oldest ends, or the new one is refused. */
export const SESSIONS_WHEN_FULL = ["REPLACE", "REFUSE"] as const;
export type SessionsWhenFull = (typeof SESSIONS_WHEN_FULL)[number];

/** Describes the reply to one method of a device's request: fixed JSON, or what a script returns. */
export interface DeviceRequestRule {
  readonly method: string;
  readonly reply?: JsonValue;
  /** JavaScript with a function `transform(message, metadata)`. */
  readonly script?: string;
}

export const PARAM_TYPES = ["number", "text", "boolean", "choice"] as const;

export interface CommandParameter {
  readonly name: string;
  readonly label?: string;
  readonly type: (typeof PARAM_TYPES)[number];
  readonly unit?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly options?: string[];
  readonly default?: JsonValue;
  readonly isRequired?: boolean;
}

/** A command that devices understand, for buttons and forms. */
export interface CommandDefinition {
  readonly method: string;
  readonly name?: string;
  readonly description?: string;
  readonly asksFirst?: boolean;
  readonly params?: CommandParameter[];
}

/** Requests of devices that the gateway answers itself. */
export const OWN_METHODS: readonly string[] = ["getServerTime", "getCurrentTime", "getSessionLimits"];
