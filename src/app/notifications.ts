import type { DeviceId } from "../lib/ids.ts";
import type { Text } from "../lib/texts/text.ts";
import type { AlarmEventHook } from "../modules/alarms/alarm-life.ts";
import type { DeviceDirectory } from "../modules/devices/device-directory.ts";
import type { DomainEvents } from "../modules/events.types.ts";
import { createDispatcher } from "../modules/notifications/dispatcher.ts";
import { createNoticeHook } from "../modules/notifications/notice-hook.ts";
import { createNotificationsRepository } from "../modules/notifications/notifications.repository.ts";
import {
  createNotificationsService,
  type NotificationsService,
} from "../modules/notifications/notifications.service.ts";
import { createTelling } from "../modules/notifications/telling.ts";
import type { OutboundService } from "../modules/outbound/outbound.service.ts";
import { type Clock, createSteadyNow } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { MainDatabase } from "../platform/database.ts";
import type { EventBus } from "../platform/event-bus.ts";
import type { Part } from "../platform/lifecycle.ts";
import type { Logger } from "../platform/log.ts";
import type { People } from "./people.ts";

/** Wires who is told of alarms, and how. */
export function createNotifications(deps: {
  config: Pick<Config, "public_url">;
  database: MainDatabase;
  people: Pick<People, "users" | "tenants" | "mail">;
  directory: DeviceDirectory;
  outbound: () => OutboundService;
  mutedMs: (deviceId: DeviceId) => number;
  noted: (alarmId: string, text: Text) => void;
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
}): { notifications: NotificationsService; noticeHook: AlarmEventHook; part: Part } {
  const { database, people, directory, config } = deps;
  const { users, tenants, mail } = people;
  const repository = createNotificationsRepository(database);
  const telling = createTelling({
    mail,
    outbound: deps.outbound,
    consoleUrl: config.public_url && `${config.public_url.replace(/\/$/, "")}/alarms`,
  });
  const notifications = createNotificationsService({
    ...deps,
    repository,
    users,
    tenants,
    telling,
    mail,
  });
  const dispatcher = createDispatcher({
    ...deps,
    repository,
    users,
    telling,
    canMail: mail.isDelivering,
    settingsOf: notifications.settingsOf,
    deviceNameOf: (deviceId) => directory.find(deviceId)?.name,
    transact: database.transact,
    now: createSteadyNow(deps.clock),
  });
  return {
    notifications,
    noticeHook: createNoticeHook({ ...deps, repository }),
    part: { name: "notifications", start: () => dispatcher.start(), stop: () => dispatcher.stop() },
  };
}
