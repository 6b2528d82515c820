import { detail } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";
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
  /** @throws DomainError `limited` if the user has made too many tests */
  readonly ensureMayTry: (principal: Principal) => void;
}

const sourceOf = (messengerId: string) => ({ kind: "notification", id: messengerId }) as const;

/** @param addresses targets of a changed messenger */
function ensureMayChange(principal: Principal, addresses: readonly (string | undefined)[] = []): void {
  ensureAllDevices(principal, detail("action.change_alarm_notifications"));
  ensurePersonSets(principal, addresses);
}

/** Creates the service for groups, channels and topics of messenger services that get a tenant's alarms. */
export function createMessengersService(deps: MessengersDeps) {
  const { store, outbound } = deps;
  const changed = createMessengerChanges(outbound);
  return {
    listOf: (tenantId: TenantId): readonly Messenger[] => store.list(tenantId),
    findById: (messengerId: string): Messenger | undefined => store.findAcrossTenants(messengerId),
    list: ({ tenantId }: Principal): readonly Messenger[] => store.list(tenantId),
    get: ({ tenantId }: Principal, messengerId: string): Messenger => store.get(tenantId, messengerId),
    countsOf: ({ tenantId, messengerId }: Messenger): OutboundCounts =>
      outbound.countsOf(tenantId, sourceOf(messengerId)),
    create(principal: Principal, input: typeof messengerResource.$create): Messenger {
      ensureMayChange(principal, [input.name]);
      const { tenantId } = principal;
      store.ensureRoom(tenantId);
      const messenger = changed(newMessenger(tenantId, input, deps.settingsOf(tenantId).language), input);
      return store.insert(tenantId, messenger);
    },
    update(principal: Principal, messengerId: string, input: MessengerInput): Messenger {
      ensureMayChange(principal, [input.server, input.chatId, input.topic, input.secret]);
      const current = store.get(principal.tenantId, messengerId);
      return store.update(current, changed(current, input));
    },
    async delete(principal: Principal, messengerId: string): Promise<void> {
      ensureMayChange(principal);
      const { tenantId } = store.get(principal.tenantId, messengerId);
      await outbound.removeSource(tenantId, sourceOf(messengerId), () =>
        store.delete(store.get(tenantId, messengerId)),
      );
    },
    /** Sends a test message now and returns its result. */
    async test(principal: Principal, messengerId: string): Promise<MessengerTest> {
      ensureMayChange(principal);
      const messenger = store.get(principal.tenantId, messengerId);
      deps.ensureMayTry(principal);
      const { status, error } = await deps.notifier.sendTest(messenger);
      const response = status === null ? {} : { status };
      if (error === null) return { success: true, text: detail("messenger_test.sent"), ...response };
      const reason = causeOf(messenger.kind, status) ?? error;
      return { success: false, text: detail("notification_test.mail_failed", { reason }), ...response };
    },
  };
}

export type MessengersService = ReturnType<typeof createMessengersService>;
