import { detail, notFound } from "../../lib/domain-error.ts";
import type { TenantId } from "../../lib/ids.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import type { DomainEvents } from "../events.types.ts";
import type { OutboundService } from "../outbound/outbound.service.ts";
import type { OutboundCounts } from "../outbound/outbound.types.ts";
import { ensureAllDevices, ensurePersonSets } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";
import { createMessengerChanges, newMessenger } from "./messenger-changes.ts";
import type { MessengerNotifier } from "./messenger-notifier.ts";
import { causeOf } from "./messenger-presets.ts";
import type { Messenger, MessengerInput, messengerResource } from "./messengers.resource.ts";
import type { NotificationSettings } from "./notifications.types.ts";

export interface MessengerTest {
  readonly success: boolean;
  readonly text: Text;
  readonly status?: number;
}

interface MessengersDeps {
  readonly store: typeof messengerResource.$store;
  readonly notifier: MessengerNotifier;
  readonly outbound: Pick<OutboundService, "seal" | "refusalOf" | "removeSource" | "countsOf">;
  readonly settingsOf: (tenantId: TenantId) => NotificationSettings;
  /** Throws `limited` when the user has tried too often. */
  readonly ensureMayTry: (principal: Principal) => void;
  readonly events: EventBus<DomainEvents>;
}

const sourceOf = (messengerId: string) => ({ kind: "notification", id: messengerId }) as const;

/** @param addresses where a changed messenger sends messages */
function ensureMayChange(principal: Principal, addresses: readonly (string | undefined)[] = []): void {
  ensureAllDevices(principal, detail("action.change_alarm_notifications"));
  ensurePersonSets(principal, addresses);
}

/** Groups, channels and topics of messengers that get the alarms of a tenant. */
export function createMessengersService(deps: MessengersDeps) {
  const { store, outbound } = deps;
  const changed = createMessengerChanges(outbound);
  /** Keyed by tenant; one object for all messages of a messenger, by which the delivery queue knows its target. */
  const cache = new Map<TenantId, readonly Messenger[]>();
  deps.events.on("tenant.deleted", ({ tenantId }) => cache.delete(tenantId));

  function listOf(tenantId: TenantId): readonly Messenger[] {
    const messengers = cache.get(tenantId) ?? store.list(tenantId);
    cache.set(tenantId, messengers);
    return messengers;
  }

  function get(tenantId: TenantId, messengerId: string): Messenger {
    const messenger = listOf(tenantId).find((candidate) => candidate.messengerId === messengerId);
    if (messenger === undefined) throw notFound("messengers.not_found");
    return messenger;
  }

  function saved(messenger: Messenger): Messenger {
    cache.delete(messenger.tenantId);
    return messenger;
  }

  return {
    listOf,
    findById: (messengerId: string): Messenger | undefined => {
      const tenantId = store.findAcrossTenants(messengerId)?.tenantId;
      return tenantId && listOf(tenantId).find((candidate) => candidate.messengerId === messengerId);
    },
    list: ({ tenantId }: Principal): readonly Messenger[] => listOf(tenantId),
    get: ({ tenantId }: Principal, messengerId: string): Messenger => get(tenantId, messengerId),
    countsOf: ({ tenantId, messengerId }: Messenger): OutboundCounts =>
      outbound.countsOf(tenantId, sourceOf(messengerId)),
    create(principal: Principal, input: typeof messengerResource.$create): Messenger {
      ensureMayChange(principal, [input.name]);
      const { tenantId } = principal;
      store.ensureRoom(tenantId);
      const messenger = changed(newMessenger(tenantId, input, deps.settingsOf(tenantId).language), input);
      return saved(store.insert(tenantId, messenger));
    },
    update(principal: Principal, messengerId: string, input: MessengerInput): Messenger {
      ensureMayChange(principal, [input.server, input.chatId, input.topic, input.secret]);
      const current = get(principal.tenantId, messengerId);
      return saved(store.update(current, changed(current, input)));
    },
    delete(principal: Principal, messengerId: string): void {
      ensureMayChange(principal);
      const messenger = get(principal.tenantId, messengerId);
      store.delete(messenger);
      outbound.removeSource(messenger.tenantId, sourceOf(messengerId));
      cache.delete(messenger.tenantId);
    },
    /** Sends a test message now, and tells what became of it. */
    async test(principal: Principal, messengerId: string): Promise<MessengerTest> {
      ensureMayChange(principal);
      const messenger = get(principal.tenantId, messengerId);
      deps.ensureMayTry(principal);
      const { status, error } = await deps.notifier.sendTest(messenger);
      const answer = status === null ? {} : { status };
      if (error === null) return { success: true, text: detail("messenger_test.sent"), ...answer };
      const reason = causeOf(messenger.kind, status) ?? error;
      return { success: false, text: detail("notification_test.mail_failed", { reason }), ...answer };
    },
  };
}

export type MessengersService = ReturnType<typeof createMessengersService>;
