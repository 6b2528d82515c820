import { readFileSync } from "node:fs";
import { rootCertificates } from "node:tls";
import type { TenantId } from "../lib/ids.ts";
import type { DomainEvents } from "../modules/events.types.ts";
import { createHttpExchange, type HttpExchange } from "../modules/outbound/http-exchange.ts";
import { createOutboundRepository } from "../modules/outbound/outbound.repository.ts";
import { createOutboundService, type OutboundService } from "../modules/outbound/outbound.service.ts";
import type { OutboundSource } from "../modules/outbound/outbound.types.ts";
import { createOutboundDelivery } from "../modules/outbound/outbound-delivery.ts";
import { createOutboundLedger, deliveryIdOf } from "../modules/outbound/outbound-ledger.ts";
import { createOutboundSender, targetOf } from "../modules/outbound/outbound-sender.ts";
import type { TenantsService } from "../modules/tenants/tenants.service.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { DataDirectory } from "../platform/data-directory.ts";
import type { MainDatabase } from "../platform/database.ts";
import type { EventBus } from "../platform/event-bus.ts";
import type { Part } from "../platform/lifecycle.ts";
import type { Logger } from "../platform/log.ts";
import { createOutboundAddresses, type OutboundAddresses } from "../platform/outbound-address.ts";
import { createSealedBox } from "../platform/sealed-box.ts";
import { StartupError } from "../platform/startup-error.ts";
import { version } from "../version.ts";

const MEGABYTE = 1024 * 1024;

function readAuthorities(file: string | undefined): string[] | undefined {
  if (file === undefined) return undefined;
  try {
    return [...rootCertificates, readFileSync(file, "utf8")];
  } catch (cause) {
    throw new StartupError(`The file ${file} of outbound_ca cannot be read.`, { cause });
  }
}

/** How other parts get at servers that people name: by the one rule of where to, and whom to trust. */
export interface OutboundReach {
  readonly addresses: OutboundAddresses;
  /** Undefined: the usual ones. */
  readonly authorities: readonly string[] | undefined;
  readonly exchange: HttpExchange;
  /** Whether the tenant is that of the gateway's own people. */
  readonly isHost: (tenantId: TenantId) => boolean;
}

/** Wires the outbox of outbound requests, and the rule of where they may go. */
export function createOutbound(deps: {
  config: Config;
  data: DataDirectory;
  database: MainDatabase;
  /** Ports that the gateway itself listens on. */
  ownPorts: () => ReadonlyArray<number | undefined>;
  people: { readonly tenants: Pick<TenantsService, "find"> };
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
}): { outbound: OutboundService; outboundPart: Part; reach: OutboundReach } {
  const { config, data, database, clock, events, log } = deps;
  const { transact, durable } = database;
  const isHost = (tenantId: TenantId) => deps.people.tenants.find(tenantId)?.isHost === true;
  const addresses = createOutboundAddresses({ config, ownPorts: deps.ownPorts, isHost });
  const box = createSealedBox(data.secret("outbound.key", 32), "outbound requests");
  const authorities = readAuthorities(config.outbound_ca);
  const exchange = createHttpExchange({ addresses, clock, authorities });
  const sender = createOutboundSender({ exchange, box, userAgent: `Lineside/${version}`, clock });
  const repository = createOutboundRepository(database);
  const ledger = createOutboundLedger({
    repository,
    transact,
    onSettled: ({ target, seq, orderKey, error }) =>
      events.emit("outbound.settled", {
        tenantId: target.tenantId as TenantId, // written by us, as is the kind
        source: { kind: target.sourceKind as OutboundSource["kind"], id: target.sourceId },
        deliveryId: deliveryIdOf({ targetId: target.targetId, seq }),
        orderKey,
        error,
      }),
    clock,
    log,
  });
  const delivery = createOutboundDelivery({
    repository,
    ledger,
    send: (row, target, signal) =>
      sender.attempt(
        {
          ...row,
          tenantId: target.tenantId as TenantId, // written by us
          target: targetOf(target),
          deliveryId: deliveryIdOf(row),
        },
        signal,
      ),
    limits: { rows: config.outbound_waiting_max, bytes: config.outbound_waiting_mb_max * MEGABYTE },
    clock,
    random: Math.random,
    log,
  });
  return {
    reach: { addresses, authorities, exchange, isHost },
    outbound: createOutboundService({
      repository,
      delivery,
      ledger,
      sender,
      addresses,
      box,
      transact,
      durable,
      clock,
      events,
    }),
    outboundPart: { name: "outbound", start: () => delivery.start(), stop: () => delivery.stop() },
  };
}
