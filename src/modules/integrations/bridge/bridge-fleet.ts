import type { BodyEncoding } from "../../../lib/body.ts";
import { unavailable } from "../../../lib/domain-error.ts";
import type { TenantId } from "../../../lib/ids.ts";
import type { Text } from "../../../lib/texts/text.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Logger } from "../../../platform/log.ts";
import type { OutboundRule } from "../../../platform/outbound-address.ts";
import type { BrokerMessage, MqttSettings } from "../integrations.types.ts";
import type { BridgeMessage, BridgeState, MqttBridge } from "./bridge.types.ts";
import { filtersOf } from "./broker-connection.ts";
import { clientIdOf, createMqttBridge, type MqttBridgeDeps } from "./mqtt-bridge.ts";
import { waitFor } from "./wait-for.ts";

/** An integration as far as its connection to a broker goes. */
export interface FleetMember {
  readonly integrationId: string;
  readonly tenantId: TenantId;
  readonly isRunning: boolean;
  /** Includes the secrets opened; undefined where there is no broker. */
  readonly settings: MqttSettings | undefined;
  readonly encoding?: BodyEncoding | undefined;
}

export interface BridgeFleetDeps {
  /** All that have, or had, a connection: running or paused. */
  readonly list: () => readonly FleetMember[];
  /** Returns `undefined` for one that is deleted. */
  readonly find: (integrationId: string) => FleetMember | undefined;
  readonly take: (integrationId: string, message: BridgeMessage) => Promise<void>;
  /** Whether it can do its work; null when it can. */
  readonly onProblem: (integrationId: string, problem: Text | null) => void;
  /** Another status, or other subscriptions: whoever looks at it looks again. */
  readonly onChange: (integrationId: string) => void;
  readonly addresses: { of(tenantId: TenantId): Pick<OutboundRule, "resolve"> };
  readonly authorities?: readonly string[] | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** A broker that is away is asked a few times to forget a session that nobody will come back to. */
const FAREWELLS_MAX = 6;
const FAREWELL_WAIT_MS = 10_000;

/** A session at a broker: whose it is, and the settings that it was made with. */
interface BrokerSession {
  readonly tenantId: TenantId;
  readonly settings: MqttSettings;
}

interface Running {
  readonly bridge: MqttBridge;
  /** Fingerprint of the settings that it was created from. */
  readonly fingerprint: string;
}

const fingerprintOf = ({ settings, encoding }: FleetMember) => JSON.stringify([settings, encoding]);

/** Whether the broker knows both by the same session. */
const isSameSession = (integrationId: string, a: MqttSettings, b: MqttSettings): boolean =>
  a.brokerUrl === b.brokerUrl &&
  (a.clientId ?? clientIdOf(integrationId)) === (b.clientId ?? clientIdOf(integrationId));

/** One bridge for each integration that is switched on and has a broker. */
export function createBridgeFleet(deps: BridgeFleetDeps) {
  const { clock, log } = deps;
  /** Keyed by integration id. */
  const running = new Map<string, Running>();
  /** Keyed by integration id; kept while it is paused. */
  const sessions = new Map<string, BrokerSession>();
  /** Holds what is being done with an integration, one thing after the other. */
  const inFlight = new Map<string, Promise<void>>();
  /** Aborted when the fleet stops. */
  let started: AbortController | undefined;

  function bridgeOf(
    member: FleetMember,
    settings: MqttSettings,
    more: Partial<MqttBridgeDeps> = {},
  ): MqttBridge {
    const { integrationId, tenantId, encoding } = member;
    let problem: Text | null | undefined;
    let shown = "";
    return createMqttBridge({
      ...deps,
      addresses: deps.addresses.of(tenantId),
      integrationId,
      settings,
      encoding,
      handle: (message) => deps.take(integrationId, message),
      onState(state) {
        const now = JSON.stringify([state.status, state.problem, state.lastError, state.subscriptions]);
        if (now !== shown && running.has(integrationId)) deps.onChange(integrationId);
        shown = now;
        if (state.status === "connecting" || JSON.stringify(state.problem) === JSON.stringify(problem))
          return;
        problem = state.problem;
        // Of one that is being taken down, nothing is to be told any more.
        if (running.has(integrationId)) deps.onProblem(integrationId, problem);
      },
      ...more,
    });
  }

  /** Has the broker forget a session, in the background. */
  async function sayFarewell(integrationId: string, { tenantId, settings }: BrokerSession): Promise<void> {
    const signal = started?.signal;
    const member = { integrationId, tenantId, isRunning: false, settings };
    const bridge = bridgeOf(member, settings, { onState: () => {} });
    for (let tries = 1; signal?.aborted === false; tries++) {
      const current = sessions.get(integrationId);
      if (current !== undefined && isSameSession(integrationId, current.settings, settings)) return; // come back to meanwhile
      try {
        await bridge.end(signal);
        return;
      } catch (error) {
        if (tries === FAREWELLS_MAX)
          return log.warn("a broker did not delete a session", { integrationId, error });
        await waitFor(clock, tries * FAREWELL_WAIT_MS, signal);
      }
    }
  }

  async function end(integrationId: string): Promise<void> {
    const current = running.get(integrationId);
    running.delete(integrationId);
    await current?.bridge.stop();
  }

  function begin(member: FleetMember, settings: MqttSettings): void {
    const { integrationId, tenantId } = member;
    const before = sessions.get(integrationId);
    const isSame = before !== undefined && isSameSession(integrationId, before.settings, settings);
    if (before !== undefined && !isSame) void sayFarewell(integrationId, before);
    sessions.set(integrationId, { tenantId, settings });
    const bridge = bridgeOf(member, settings, isSame ? { formerFilters: filtersOf(before.settings) } : {});
    running.set(integrationId, { bridge, fingerprint: fingerprintOf(member) });
    bridge.start();
  }

  async function follow(integrationId: string): Promise<void> {
    if (started === undefined) return;
    const member = deps.find(integrationId);
    const wanted = member?.isRunning ? member.settings : undefined;
    const current = running.get(integrationId);
    if (member !== undefined && wanted !== undefined && current?.fingerprint === fingerprintOf(member))
      return;
    await end(integrationId);
    if (member !== undefined && wanted !== undefined) begin(member, wanted);
    // Paused, the broker keeps what comes for when it is started again.
    else if (member?.settings === undefined) forget(integrationId);
  }

  function forget(integrationId: string): void {
    const before = sessions.get(integrationId);
    sessions.delete(integrationId);
    if (before !== undefined) void sayFarewell(integrationId, before);
  }

  function refresh(integrationId: string): void {
    const before = inFlight.get(integrationId) ?? Promise.resolve();
    const next = before
      .then(() => follow(integrationId))
      .catch((error) => log.error("a bridge could not apply its settings", { integrationId, error }))
      .finally(() => {
        if (inFlight.get(integrationId) === next) inFlight.delete(integrationId);
      });
    inFlight.set(integrationId, next);
  }

  return {
    start(): void {
      started = new AbortController();
      for (const { integrationId, tenantId, settings } of deps.list()) {
        if (settings !== undefined) sessions.set(integrationId, { tenantId, settings });
        refresh(integrationId);
      }
    },
    async stop(): Promise<void> {
      started?.abort();
      started = undefined;
      await Promise.all(inFlight.values());
      await Promise.all([...running.keys()].map(end));
      sessions.clear();
    },
    /** An integration was made, changed, started, paused or deleted. */
    refresh,
    /** Many were deleted at once. */
    refreshAll(): void {
      for (const integrationId of sessions.keys()) refresh(integrationId);
    },
    /** Returns `undefined` if it is not switched on, or has no broker. */
    stateOf: (integrationId: string): BridgeState | undefined => running.get(integrationId)?.bridge.state,
    /** @throws DomainError `unavailable` while there is no connection. */
    async publish(integrationId: string, message: BrokerMessage): Promise<void> {
      const bridge = running.get(integrationId)?.bridge;
      if (bridge === undefined) throw unavailable("integration.not_connected");
      await bridge.publish(message);
    },
  };
}

export type BridgeFleet = ReturnType<typeof createBridgeFleet>;
