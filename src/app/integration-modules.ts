import { createCodecIndexModule } from "../modules/codec-index/codec-index.module.ts";
import { createCodecsModule } from "../modules/codecs/codecs.module.ts";
import type { createCommandsModule } from "../modules/commands/commands.module.ts";
import { createConnectivityModule } from "../modules/connectivity/connectivity.module.ts";
import { createDownlinksModule } from "../modules/downlinks/downlinks.module.ts";
import { createIntegrationsModule } from "../modules/integrations/integrations.module.ts";
import { createModbusModule } from "../modules/modbus/modbus.module.ts";
import type { Core } from "../modules/module.types.ts";
import type { LocalTopics } from "../modules/mqtt-clients/mqtt-clients.types.ts";
import { createScriptSandboxModule } from "../modules/script-sandbox/script-sandbox.module.ts";
import type { Tls } from "../platform/tls.ts";
import type { DeviceModules } from "./base-modules.ts";

/** Network servers, bridges and webhooks: what reaches the gateway by way of other programs, and goes back by them. */
export function createIntegrationModules(
  core: Core,
  base: DeviceModules,
  deps: { commanding: ReturnType<typeof createCommandsModule>; tls: Tls | undefined; topics: LocalTopics },
) {
  const { profiling, fleet, attributing, ingesting, outbounds } = base;
  const { profiles } = profiling;
  const { devices, directory } = fleet;
  const { attributes } = attributing;
  const { ingest } = ingesting;
  const { reach } = outbounds;
  const { engine, ways } = deps.commanding;
  const connectivity = createConnectivityModule(core, { tls: deps.tls });
  const scripts = createScriptSandboxModule(core);
  deps.commanding.runScript.connect((run) => scripts.sandbox.run(run));
  const codecs = createCodecsModule(core, { trials: scripts.trials });
  const codecIndex = createCodecIndexModule(core, {
    codecs: codecs.codecs,
    tenants: base.tenants,
    disk: base.storage.diskGuard,
  });
  const integrations = createIntegrationsModule(core, {
    messageRate: base.messageRate,
    devices,
    directory,
    profiles,
    attributes,
    ingest,
    reach,
    latest: (deviceIds) => base.storage.store.latest(deviceIds),
    topics: deps.topics,
    scripts,
    codecs,
    connectivity,
  });
  const downlinks = createDownlinksModule(core, {
    devices,
    attributes,
    integrations,
    codecs: codecs.codecs,
    sandbox: scripts.sandbox,
    reach,
    commands: engine,
    ways,
  });
  const modbus = createModbusModule(core, {
    devices,
    directory,
    ingest,
    reach,
    commands: engine,
    ways,
  });
  return { connectivity, codecs, links: [integrations, downlinks, modbus, codecIndex] };
}
