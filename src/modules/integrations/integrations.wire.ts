import { inEnglish } from "../../lib/core/domain-error.ts";
import { depthOf } from "../../lib/json/json-depth.ts";
import type { Text } from "../../lib/texts/text.ts";
import { iso } from "../../lib/time/iso-time.ts";
import type { BridgeState } from "./bridge/bridge.types.ts";
import { LISTED_BYTES_MAX } from "./events/integration-events.repository.ts";
import type { Taken } from "./inbound/inbound-pipeline.ts";
import type { BriefIntegration } from "./integrations.resource.ts";
import type { IntegrationEvent, IntegrationType } from "./integrations.types.ts";
import type { ShownIntegration } from "./shown-integration.ts";

/** Names of the types in webhook URLs. */
const WEBHOOK_KINDS = ["generic", "lorawan-a", "lorawan-b"] as const;
export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

const typesOfKinds: Record<WebhookKind, IntegrationType> = {
  generic: "HTTP",
  "lorawan-a": "CHIRPSTACK",
  "lorawan-b": "THE_THINGS_STACK",
};

export const typeOfKind = (kind: WebhookKind): IntegrationType => typesOfKinds[kind];

/** Returns the path at which an integration accepts messages; `undefined` if the integration only fetches messages. */
function webhookPathOf(type: IntegrationType, integrationId: string): string | undefined {
  const kind = WEBHOOK_KINDS.find((webhookKind) => typesOfKinds[webhookKind] === type);
  return kind && `/api/v1/integrations/${kind}/${integrationId}/telemetry`;
}

/** Path that accepts messages for a type or an integration. */
export interface Webhook {
  readonly kind: WebhookKind;
  readonly path: string;
  readonly integrationId?: string;
  readonly name?: string;
}

export function webhooksOf(integrations: readonly BriefIntegration[]): Webhook[] {
  const ofKinds = WEBHOOK_KINDS.map((kind) => ({ kind, path: `/api/v1/integrations/${kind}/telemetry` }));
  const own = integrations.flatMap(({ integrationId, name, type }) => {
    const kind = WEBHOOK_KINDS.find((webhookKind) => typesOfKinds[webhookKind] === type);
    const path = webhookPathOf(type, integrationId);
    return kind === undefined || path === undefined ? [] : [{ kind, path, integrationId, name }];
  });
  return [...ofKinds, ...own];
}

/** Requirement for webhooks. Without a secret, only messages of LoRaWAN networks with a device token are accepted. */
const MISSING_SECRET = "WEBHOOK_SECRET" as const;

const inEnglishOrNull = (text: Text | null) => (text === null ? null : inEnglish(text));

function bridgeToWire(state: BridgeState | undefined) {
  if (state === undefined) return null;
  const { since, problem, lastError, lastErrorAt, nextAttemptAt, subscriptions, ...shown } = state;
  return {
    ...shown,
    problem: inEnglishOrNull(problem),
    problemText: problem,
    lastError: inEnglishOrNull(lastError),
    lastErrorText: lastError,
    subscriptions: [...subscriptions],
    since: iso(since),
    lastErrorAt: iso(lastErrorAt),
    nextAttemptAt: iso(nextAttemptAt),
  };
}

/** `origin`: scheme, host and port of the integration's URL for messages; `hasSecret`: whether the tenant has a webhook secret. */
export function integrationToWire(
  integration: ShownIntegration,
  { origin, bridge, hasSecret }: { origin: string; bridge: BridgeState | undefined; hasSecret: boolean },
) {
  const { integrationId, tenantId, name, type, status, isDefault, settings_json, mappingSteps } = integration;
  const { received, stored, dropped, failed, sent } = integration;
  const path = webhookPathOf(type, integrationId);
  return {
    integrationId,
    tenantId,
    name,
    type,
    status,
    isDefault,
    settings_json,
    mappingSteps,
    webhookUrl: path === undefined ? null : `${origin}${path}`,
    missing: path !== undefined && settings_json.mqtt === undefined && !hasSecret ? MISSING_SECRET : null,
    stats: { received, stored, dropped, failed, sent, lastMessageAt: iso(integration.lastMessageAt) },
    bridge: bridgeToWire(bridge),
    scriptBlocked: inEnglishOrNull(integration.scriptBlocked),
    scriptBlockedText: integration.scriptBlocked,
    lastError: inEnglishOrNull(integration.lastError),
    lastErrorText: integration.lastError,
    lastErrorAt: iso(integration.lastErrorAt),
    createdAt: iso(integration.createdAt),
    updatedAt: iso(integration.updatedAt),
  };
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Depth up to which values are shown as JSON; deeper recursion would overflow the stack. */
const DEPTH_SHOWN_MAX = 64;

function showPayload(payload: Uint8Array): unknown {
  let text: string;
  try {
    text = utf8.decode(payload);
  } catch {
    return { base64: Buffer.from(payload).toString("base64") };
  }
  if (depthOf(text) > DEPTH_SHOWN_MAX) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the payload for a list of up to a thousand events; large payloads are shortened. */
const shownInList = (payload: Uint8Array): unknown =>
  payload.length <= LISTED_BYTES_MAX
    ? showPayload(payload)
    : `${Buffer.from(payload.subarray(0, LISTED_BYTES_MAX)).toString("utf8")}…`;

export const listedToWire = (event: IntegrationEvent, seesPayload: boolean) =>
  eventToWire(event, seesPayload, shownInList);

export function eventToWire(event: IntegrationEvent, seesPayload: boolean, show = showPayload) {
  const { eventId, seq, direction, status, stage, text, isReplayable, replayedAt, result } = event;
  return {
    eventId,
    seq,
    direction,
    status,
    stage,
    ...text,
    message: inEnglish(text),
    topic: event.origin?.topic ?? null,
    replayable: isReplayable && direction === "IN",
    replayedAt: iso(replayedAt),
    createdAt: iso(event.createdAt),
    payload: event.payload === null || !seesPayload ? null : show(event.payload),
    result: result === null ? null : JSON.parse(result),
  };
}

export const takenToWire = ({ eventId, status, stage, text }: Taken) => ({
  eventId,
  status,
  stage,
  ...text,
  message: inEnglish(text),
});
