import { unavailable } from "../../../lib/core/domain-error.ts";
import type { TenantId } from "../../../lib/core/ids.ts";
import type { BodyEncoding } from "../../../lib/json/body.ts";
import type { Text } from "../../../lib/texts/text.ts";
import type { BrokerMessage } from "../../../platform/broker/broker.types.ts";
import { clientIdOf } from "../../../platform/broker/client-id.ts";
import { InboundSpace } from "../../../platform/broker/inbound-space.ts";
import type { Logger } from "../../../platform/core/log.ts";
import type { OutboundRule } from "../../../platform/network/outbound-address.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import { waitFor } from "../../../platform/time/wait-for.ts";
import type { LocalTopics } from "../../mqtt-clients/mqtt-clients.types.ts";
import type { MqttSettings } from "../integrations.types.ts";
import type { AnnouncedTopics, Bridge, BridgeMessage, BridgeState } from "./bridge.types.ts";
import { LOCAL_BROKER, LocalBridge } from "./local-bridge.ts";
import { MqttBridge, type MqttBridgeDeps } from "./mqtt-bridge.ts";
import { filtersOf } from "./topic-device.ts";

/** Integration data that its broker connection needs. */
export interface FleetMember {
  readonly integrationId: string;
  readonly tenantId: TenantId;
  readonly isRunning: boolean;
  /** True if the integration has not received a message yet. */
  readonly isNew?: boolean | undefined;
  /** Settings with the decrypted secrets; `undefined` if there is no broker. */
  readonly settings: MqttSettings | undefined;
  readonly encoding?: BodyEncoding | undefined;
  readonly announced?: AnnouncedTopics | undefined;
}

export interface BridgeFleetDeps {
  /** Lists all integrations that have or had a connection, running or paused. */
  readonly list: () => readonly FleetMember[];
  /** Returns `undefined` if the integration was deleted. */
  readonly find: (integrationId: string) => FleetMember | undefined;
  readonly take: (integrationId: string, message: BridgeMessage) => Promise<void>;
  /** Reports the problem of a bridge, again for each failed attempt; null when it works. */
  readonly onProblem: (integrationId: string, problem: Text | null) => void;
  /** Called when the status or the subscriptions change. */
  readonly onChange: (integrationId: string) => void;
  readonly addresses: { of(tenantId: TenantId): Pick<OutboundRule, "resolve"> };
  readonly authorities?: readonly string[] | undefined;
  /** Topics of the embedded broker. */
  readonly topics: LocalTopics;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** Max. attempts to delete an abandoned session at an unreachable broker. */
const FAREWELLS_MAX = 6;
const FAREWELL_WAIT_MS = 10_000;

/** Broker session with its owner and settings. */
interface BrokerSession {
  readonly tenantId: TenantId;
  readonly settings: MqttSettings;
}

interface Running {
  readonly bridge: Bridge;
  /** Fingerprint of the settings from which the session was created. */
  readonly fingerprint: string;
}

const fingerprintOf = ({ settings, encoding, announced }: FleetMember) =>
  JSON.stringify([settings, encoding, announced !== undefined]);

/** Returns whether both settings use the same session at the broker. */
const isSameSession = (integrationId: string, a: MqttSettings, b: MqttSettings): boolean =>
  a.brokerUrl === b.brokerUrl &&
  (a.clientId ?? clientIdOf(integrationId)) === (b.clientId ?? clientIdOf(integrationId));

/** Runs one bridge for each active integration with a broker. */
export class BridgeFleet {
  /** Keyed by integration id. */
  readonly #running = new Map<string, Running>();
  /** Sessions by integration id; kept while the integration is paused. */
  readonly #sessions = new Map<string, BrokerSession>();
  /** Tasks in progress, by integration. The tasks of one integration run in order. */
  readonly #inFlight = new Map<string, Promise<void>>();
  readonly #space = new InboundSpace();
  /** Aborted when the fleet stops. */
  #started: AbortController | undefined;

  readonly #deps: BridgeFleetDeps;

  constructor(deps: BridgeFleetDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#started = new AbortController();
    for (const { integrationId, tenantId, settings } of this.#deps.list()) {
      if (settings !== undefined) this.#sessions.set(integrationId, { tenantId, settings });
      this.refresh(integrationId);
    }
  }

  async stop(): Promise<void> {
    this.#started?.abort();
    this.#started = undefined;
    await Promise.all(this.#inFlight.values());
    await Promise.all([...this.#running.keys()].map((integrationId) => this.#end(integrationId)));
    this.#sessions.clear();
  }

  /** Applies the creation, change, start, pause or deletion of an integration. */
  refresh(integrationId: string): void {
    const inFlight = this.#inFlight;
    const before = inFlight.get(integrationId) ?? Promise.resolve();
    const next = before
      .then(() => this.#follow(integrationId))
      .catch((error) =>
        this.#deps.log.error("applying the settings of a bridge failed", { integrationId, error }),
      )
      .finally(() => {
        if (inFlight.get(integrationId) === next) inFlight.delete(integrationId);
      });
    inFlight.set(integrationId, next);
  }

  /** Applies the deletion of many integrations. */
  refreshAll(): void {
    for (const integrationId of this.#sessions.keys()) this.refresh(integrationId);
  }

  /** Returns `undefined` if the integration is switched off or has no broker. */
  stateOf(integrationId: string): BridgeState | undefined {
    return this.#running.get(integrationId)?.bridge.state;
  }

  /** Applies a change of announced topics. */
  topicsChanged(integrationId: string): void {
    this.#running.get(integrationId)?.bridge.topicsChanged();
  }

  /** @throws DomainError `unavailable` without a connection */
  async publish(integrationId: string, message: BrokerMessage): Promise<void> {
    await this.#runningOf(integrationId).publish(message);
  }

  /** See `Bridge.reply`. */
  async reply(integrationId: string, message: BrokerMessage): Promise<boolean> {
    return await this.#runningOf(integrationId).reply(message);
  }

  #runningOf(integrationId: string): Bridge {
    const bridge = this.#running.get(integrationId)?.bridge;
    if (bridge === undefined) throw unavailable("integration.not_connected");
    return bridge;
  }

  async #follow(integrationId: string): Promise<void> {
    if (this.#started === undefined) return;
    const member = this.#deps.find(integrationId);
    const wanted = member?.isRunning ? member.settings : undefined;
    const current = this.#running.get(integrationId);
    if (member !== undefined && wanted !== undefined && current?.fingerprint === fingerprintOf(member))
      return;
    await this.#end(integrationId);
    if (member !== undefined && wanted !== undefined) this.#begin(member, wanted);
    // While paused, the broker keeps messages for the next start.
    else if (member?.settings === undefined) this.#forget(integrationId);
  }

  #begin(member: FleetMember, settings: MqttSettings): void {
    const { integrationId, tenantId } = member;
    const before = this.#sessions.get(integrationId);
    const isSame = before !== undefined && isSameSession(integrationId, before.settings, settings);
    if (before !== undefined && !isSame) void this.#sayFarewell(integrationId, before);
    this.#sessions.set(integrationId, { tenantId, settings });
    const onState = this.#stateListener(integrationId);
    const former = isSame ? { formerFilters: filtersOf(before.settings) } : {};
    const bridge = this.#createBridge(member, settings, { onState, ...former });
    this.#running.set(integrationId, { bridge, fingerprint: fingerprintOf(member) });
    bridge.start();
  }

  async #end(integrationId: string): Promise<void> {
    const current = this.#running.get(integrationId);
    this.#running.delete(integrationId);
    await current?.bridge.stop();
  }

  #forget(integrationId: string): void {
    const before = this.#sessions.get(integrationId);
    this.#sessions.delete(integrationId);
    if (before !== undefined) void this.#sayFarewell(integrationId, before);
  }

  /** Deletes a session at the broker, in the background. */
  async #sayFarewell(integrationId: string, { tenantId, settings }: BrokerSession): Promise<void> {
    const { clock, log } = this.#deps;
    const signal = this.#started?.signal;
    const member = { integrationId, tenantId, isRunning: false, settings };
    const bridge = this.#createBridge(member, settings, { onState: () => {} });
    for (let tries = 1; signal?.aborted === false; tries++) {
      const current = this.#sessions.get(integrationId);
      if (current !== undefined && isSameSession(integrationId, current.settings, settings)) return; // changed back meanwhile
      try {
        await bridge.end(signal);
        return;
      } catch (error) {
        if (tries === FAREWELLS_MAX)
          return log.warn("broker did not delete a session", { integrationId, error });
        await waitFor(clock, tries * FAREWELL_WAIT_MS, signal);
      }
    }
  }

  #createBridge(
    { integrationId, tenantId, isNew, encoding, announced }: FleetMember,
    settings: MqttSettings,
    more: Pick<MqttBridgeDeps, "onState" | "formerFilters">,
  ): Bridge {
    const { addresses, authorities, topics, take, clock, random, log } = this.#deps;
    const handle = (message: BridgeMessage) => take(integrationId, message);
    if (settings.brokerUrl === LOCAL_BROKER)
      return new LocalBridge({
        integrationId,
        tenantId,
        settings,
        encoding,
        announced,
        isNew,
        topics,
        handle,
        onState: more.onState,
        clock,
        log,
      });
    return new MqttBridge({
      integrationId,
      settings,
      encoding,
      announced,
      addresses: addresses.of(tenantId),
      space: this.#space.of(tenantId),
      authorities,
      handle,
      clock,
      random,
      log,
      ...more,
    });
  }

  /** Returns a listener that reports changed states of a bridge, until the bridge is removed. */
  #stateListener(integrationId: string): (state: BridgeState) => void {
    let problem: Text | null | undefined;
    let attempts = 0;
    let shown = "";
    return (state) => {
      const isRunning = this.#running.has(integrationId);
      const now = JSON.stringify([state.status, state.problem, state.lastError, state.subscriptions]);
      if (now !== shown && isRunning) this.#deps.onChange(integrationId);
      shown = now;
      if (state.status === "connecting") return;
      const hasFailedAgain = state.failedAttempts > attempts;
      attempts = state.failedAttempts;
      if (!hasFailedAgain && JSON.stringify(state.problem) === JSON.stringify(problem)) return;
      problem = state.problem;
      if (isRunning) this.#deps.onProblem(integrationId, problem);
    };
  }
}
