import { publicAddressOf } from "../../platform/network/public-address.ts";
import { createMonotonicNow } from "../../platform/time/clock.ts";
import type { AlarmsModule } from "../alarms/alarms.module.ts";
import type { DevicesModule } from "../devices/devices.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { MailModule } from "../mail/mail.module.ts";
import type { Core } from "../module.types.ts";
import type { OutboundModule } from "../outbound/outbound.module.ts";
import type { TenantsModule } from "../tenants/tenants.module.ts";
import type { UsersModule } from "../users/users.module.ts";
import { createMailRoom, createNotificationHook, Dispatcher } from "./dispatcher.ts";
import { createMessengerNotifier } from "./messenger-notifier.ts";
import { messengerResource } from "./messengers.resource.ts";
import { messengersRoutes } from "./messengers.routes.ts";
import { createMessengersService } from "./messengers.service.ts";
import { createNotificationsRepository } from "./notifications.repository.ts";
import { notificationsRoutes } from "./notifications.routes.ts";
import { createNotificationsService, createTestLimit } from "./notifications.service.ts";
import { createNotifier } from "./notifier.ts";

/** Creates the notification of users about alarms by mail, text message and messengers. */
export function createNotificationsModule(
  { config, database, clock, events, log: root }: Core,
  modules: {
    readonly users: UsersModule;
    readonly tenants: TenantsModule;
    readonly mail: MailModule;
    readonly devices: DevicesModule;
    readonly outbound: OutboundModule;
    readonly alarms: AlarmsModule;
  },
) {
  const { alarms } = modules;
  const { users } = modules.users;
  const { tenants } = modules.tenants;
  const { mail } = modules.mail;
  const { directory } = modules.devices;
  const { outbound } = modules.outbound;
  const log = root.child("notifications");
  const repository = createNotificationsRepository(database);
  const publicAddress = publicAddressOf(config);
  const alarmsUrl = publicAddress && `${publicAddress}/alarms`;
  const notifier = createNotifier({ mail, outbound, alarmsUrl });
  const testLimited = { outbound, ensureMayTry: createTestLimit(clock), clock, events };
  const notifications = createNotificationsService({
    repository,
    users,
    tenants,
    notifier,
    mail,
    ...testLimited,
  });
  const messengerNotifier = createMessengerNotifier({ outbound, alarmsUrl });
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
    noteNotified: alarms.noteNotified,
    recipientIdsOf: alarms.recipientIdsOf,
    transact: database.transact,
    clock,
    now: createMonotonicNow(clock),
    events,
    log,
  });
  dispatcher.subscribe();
  alarms.hooks.push(
    createNotificationHook({
      repository,
      mutedMs: alarms.mutedMs,
      recipientIdsOf: alarms.recipientIdsOf,
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

export type NotificationsModule = ReturnType<typeof createNotificationsModule>;
