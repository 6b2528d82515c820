import type { JsonValue } from "../../lib/json/json.ts";

/** Action if a device opens more MQTT sessions than allowed: end the oldest session, or refuse the new one. */
export const SESSIONS_WHEN_FULL = ["REPLACE", "REFUSE"] as const;
export type SessionsWhenFull = (typeof SESSIONS_WHEN_FULL)[number];

/** Reply to one method of a device's requests: fixed JSON, or the result of a script. */
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

/** Command supported by devices, for buttons and forms. */
export interface CommandDefinition {
  readonly method: string;
  readonly name?: string;
  readonly description?: string;
  readonly asksFirst?: boolean;
  readonly params?: CommandParameter[];
}

/** Device requests that the gateway answers itself. */
export const OWN_METHODS: readonly string[] = ["getServerTime", "getCurrentTime", "getSessionLimits"];
