import { readFileSync } from "node:fs";
import { detail } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import { HOUR_MS, MIB } from "../../lib/core/units.ts";
import { GIVE_UP_AFTER_MS } from "../../lib/network/retry-policy.ts";
import { createOutboundAddresses } from "../../platform/network/outbound-address.ts";
import { StartupError } from "../../platform/process/startup-error.ts";
import { createSealedBox } from "../../platform/secrets/sealed-box.ts";
import type { Core } from "../module.types.ts";
import type { TenantsModule } from "../tenants/tenants.module.ts";
import { createHttpExchange } from "./http-exchange.ts";
import { createOutboundRepository, sealAddresses } from "./outbound.repository.ts";
import { createOutboundService } from "./outbound.service.ts";
import type { OutboundSource } from "./outbound.types.ts";
import { createOutboundDelivery } from "./outbound-delivery.ts";
import type { OutboundReach } from "./outbound-reach.types.ts";
import { createOutboundSender, deliveryIdOf, targetOf } from "./outbound-sender.ts";
import { sealAddress } from "./outbound-writer.ts";

function readAuthorities(file: string | undefined): string[] | undefined {
  if (file === undefined) return undefined;
  try {
    const { rootCertificates } = process.getBuiltinModule("node:tls"); // loaded late: it takes 1 ms
    return [...rootCertificates, readFileSync(file, "utf8")];
  } catch (cause) {
    throw new StartupError(`The file ${file} of outbound_ca cannot be read.`, { cause });
  }
}

/** Creates the delivery queue of outbound requests, and the rule of permitted addresses. */
export function createOutboundModule(
  { config, data, database, clock, events, ports, version, log: root }: Core,
  modules: { readonly tenants: TenantsModule },
) {
  const { tenants } = modules.tenants;
  const { transact, durable } = database;
  const log = root.child("outbound");
  const isHost = (tenantId: TenantId) => tenants.find(tenantId)?.isHost === true;
  const addresses = createOutboundAddresses({ config, ownPorts: () => ports.all(), isHost });
  const box = createSealedBox(data.secret("outbound.key", 32), "outbound requests");
  const authorities = readAuthorities(config.outbound_ca);
  const exchange = createHttpExchange({ addresses, clock, authorities });
  const sender = createOutboundSender({ exchange, box, userAgent: `Lineside/${version}`, clock });
  const repository = createOutboundRepository(database);
  const delivery = createOutboundDelivery({
    repository,
    send: (row, target, signal) =>
      sender.attempt(
        {
          ...row,
          tenantId: target.tenantId,
          target: targetOf(target),
          deliveryId: deliveryIdOf(row),
        },
        signal,
      ),
    transact,
    onFailed: ({ target, code, reason }) =>
      events.emit("fault.occurred", {
        source: "delivery",
        ...detail(code, { reason, hours: GIVE_UP_AFTER_MS / HOUR_MS }),
        tenantId: target.tenantId, // written by us, as is the kind
        subject: { kind: target.sourceKind as OutboundSource["kind"], id: target.sourceId },
        where: target.url,
      }),
    limits: { rows: config.outbound_waiting_max, bytes: config.outbound_waiting_mb_max * MIB },
    clock,
    retentionTime: () => clock.retentionTime(),
    random: Math.random,
    log,
  });
  const outbound = createOutboundService({
    repository,
    delivery,
    sender,
    addresses,
    box,
    transact,
    durable,
    clock,
    events,
  });
  const reach: OutboundReach = { addresses, authorities, exchange, isHost };
  return {
    outbound,
    reach,
    parts: [
      {
        name: "outbound",
        start() {
          transact(() => sealAddresses(database, (url) => sealAddress(url, box)));
          delivery.start();
        },
        stop: () => delivery.stop(),
      },
    ],
  };
}

export type OutboundModule = ReturnType<typeof createOutboundModule>;
