import { afterEach } from "bun:test";
import type { TenantId } from "../../../../src/lib/core/ids.ts";
import type { BridgeMessage, BridgeState } from "../../../../src/modules/integrations/bridge/bridge.types.ts";
import { MqttBridge, type MqttBridgeDeps } from "../../../../src/modules/integrations/bridge/mqtt-bridge.ts";
import type { MqttSettings } from "../../../../src/modules/integrations/integrations.types.ts";
import { createLogger } from "../../../../src/platform/core/log.ts";
import { createOutboundAddresses } from "../../../../src/platform/network/outbound-address.ts";
import { systemClock } from "../../../../src/platform/time/clock.ts";

/** What a bridge was told and tells, with waiting for either. */
export interface BridgeRig {
  readonly bridge: MqttBridge;
  readonly messages: BridgeMessage[];
  readonly texts: () => string[];
  /** Resolves when the state, or what has come in, is so. */
  until(condition: (state: BridgeState) => boolean): Promise<void>;
}

export const TENANT = "tenant" as TenantId;
export const allAddresses = (outbound_allow = "127.0.0.1") =>
  createOutboundAddresses({
    config: { outbound_allow, outbound_private: "host" },
    ownPorts: () => [],
    isHost: () => true,
  });
export const addresses = (outbound_allow?: string) => allAddresses(outbound_allow).of(TENANT);

/** A clock on which waits between tries are over at once. */
export const hasty = {
  ...systemClock,
  schedule: (ms: number, callback: () => void) => systemClock.schedule(Math.min(ms, 20), callback),
};

export function rigBridge(
  settings: MqttSettings,
  more: Partial<Omit<MqttBridgeDeps, "settings" | "onState">> = {},
): BridgeRig {
  const messages: BridgeMessage[] = [];
  const waiting = new Set<() => void>();
  const notify = () => {
    for (const check of waiting) check();
  };
  const { handle = async () => undefined, ...rest } = more;
  const bridge = new MqttBridge({
    integrationId: "01900000-0000-7000-8000-000000000001",
    addresses: addresses(),
    clock: systemClock,
    random: () => 0,
    log: createLogger("bridge"),
    ...rest,
    settings,
    async handle(message) {
      await handle(message);
      messages.push(message);
      notify();
    },
    onState: notify,
  });
  return {
    bridge,
    messages,
    texts: () => messages.map(({ bytes }) => Buffer.from(bytes).toString()),
    until(condition) {
      return new Promise((resolve) => {
        const check = () => {
          if (!condition(bridge.state)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      });
    },
  };
}

/** A session that is resumed is connected before the broker has answered what it is asked for. */
export const connected = ({ status, subscriptions }: BridgeState) =>
  status === "connected" && subscriptions.length > 0;

const bridges = new Set<MqttBridge>();

/** Starts a bridge, which is stopped after its test. */
export const open: typeof rigBridge = (...args) => {
  const rig = rigBridge(...args);
  bridges.add(rig.bridge);
  rig.bridge.start();
  return rig;
};

/** Stops the bridges of each test that were opened by `open`. */
export function useBridges(): void {
  afterEach(async () => {
    for (const bridge of bridges) await bridge.stop();
    bridges.clear();
  });
}
