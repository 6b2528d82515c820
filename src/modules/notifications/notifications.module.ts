import { createSteadyNow } from "../../platform/clock.ts";
import { publicAddressOf } from "../../platform/public-address.ts";
import type { AlarmsModule } from "../alarms/alarms.module.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { MailService } from "../mail/mail.service.ts";
import type { Core } from "../module.types.ts";
import type { OutboundService } from "../outbound/outbound.service.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import type { UsersService } from "../users/users.service.ts";
import { Dispatcher } from "./dispatcher.ts";
import { createMailRoom } from "./mail-room.ts";
import { createMessengerNotifier } from "./messenger-notifier.ts";
import { messengerResource } from "./messengers.resource.ts";
import { messengersRoutes } from "./messengers.routes.ts";
import { createMessengersService } from "./messengers.service.ts";
import { createNotificationHook } from "./notification-hook.ts";
import { createNotificationsRepository } from "./notifications.repository.ts";
import { notificationsRoutes } from "./notifications.routes.ts";
import { createNotificationsService } from "./notifications.service.ts";
import { createNotifier } from "./notifier.ts";
import { createTestLimit } from "./test-limit.ts";

/** Notifies users of alarms by mail and text message. */
export function createNotificationsModule(
  { config, database, clock, events, log: root }: Core,
  deps: {
    users: UsersService;
    tenants: TenantsService;
    mail: MailService;
    directory: DeviceDirectory;
    outbound: OutboundService;
    alarming: Pick<AlarmsModule, "mutedMs" | "notified" | "recipientIdsOf" | "hooks">;
  },
) {
  const { users, tenants, mail, directory, outbound, alarming } = deps;
  const log = root.child("notifications");
  const repository = createNotificationsRepository(database);
  const publicAddress = publicAddressOf(config);
  const consoleUrl = publicAddress && `${publicAddress}/alarms`;
  const notifier = createNotifier({ mail, outbound, consoleUrl });
  const testLimited = { outbound, ensureMayTry: createTestLimit(clock), clock, events };
  const notifications = createNotificationsService({
    repository,
    users,
    tenants,
    notifier,
    mail,
    ...testLimited,
  });
  const messengerNotifier = createMessengerNotifier({ outbound, consoleUrl });
  const messengers = createMessengersService({
    store: messengerResource.createStore(database, clock),
    notifier: messengerNotifier,
    settingsOf: notifications.settingsOf,
    ...testLimited,
  });
  const dispatcher = new Dispatcher({
    repository,
    users,
    notifier,
    messengers: { ...messengerNotifier, listOf: messengers.listOf, findById: messengers.findById },
    canMail: () => mail.isDelivering,
    takeMailRoom: createMailRoom({ perHour: config.tenant_alarm_mails_per_hour, clock, events }),
    settingsOf: notifications.settingsOf,
    deviceNameOf: (deviceId) => directory.find(deviceId)?.name,
    noted: alarming.notified,
    recipientIdsOf: alarming.recipientIdsOf,
    transact: database.transact,
    clock,
    now: createSteadyNow(clock),
    events,
    log,
  });
  dispatcher.subscribe();
  alarming.hooks.push(
    createNotificationHook({
      repository,
      mutedMs: alarming.mutedMs,
      recipientIdsOf: alarming.recipientIdsOf,
    }),
  );
  return {
    notifications,
    routes: (auth: AuthPlugin) => [
      notificationsRoutes({ notifications, auth }),
      messengersRoutes({ messengers, auth }),
    ],
    parts: [{ name: "notifications", start: () => dispatcher.start(), stop: () => dispatcher.stop() }],
  };
}
