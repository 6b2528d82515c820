import { Elysia, t } from "elysia";
import { withoutNulls } from "../../lib/defined.ts";
import type { DeviceId } from "../../lib/ids.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { listHeaders, toPage, wholeList } from "../lists.ts";
import type { Principal } from "../users/users.types.ts";
import { successBody, wholeNumber } from "../wire.schemas.ts";
import type { DeviceRejections } from "./device-rejections.ts";
import { withRole } from "./device-role.ts";
import {
  createDeviceBody,
  deviceDetail,
  deviceListItem,
  listDevicesQuery,
  rejectionBody,
  typeDefaultsBody,
  updateDeviceBody,
} from "./devices.schemas.ts";
import type { DevicesService } from "./devices.service.ts";
import type { Device, DeviceActivity, DeviceMaintenance, DeviceWithActivity } from "./devices.types.ts";
import { maintenanceToWire, toDetail, toListItem } from "./devices.wire.ts";

const assetList = wholeList({ sort: ["assetId", "count"], search: ["assetId"] });
const childList = wholeList({
  sort: ["name", "deviceType", "active", "lastActivityAt"],
  search: ["name", "childName"],
});
const rejectionList = wholeList({ sort: ["at", "code"], search: ["where", "reason"] });
const typeList = wholeList({ sort: ["deviceType", "count"], search: ["deviceType"] });

export const devicesRoutes = (deps: {
  devices: DevicesService;
  rejections: DeviceRejections;
  /** The newest knowledge about a device, where there is any. */
  activityOf: (deviceId: DeviceId) => DeviceActivity | undefined;
  /** Returns the maintenance of the device or of its gateway; alarms are muted while it lasts. */
  maintenanceOf: (device: Pick<Device, "deviceId" | "parentDeviceId">) => DeviceMaintenance | undefined;
  auth: AuthPlugin;
}) => {
  const { devices, rejections } = deps;
  const current = (device: DeviceWithActivity) => deps.activityOf(device.deviceId) ?? device.activity;
  const item = (device: DeviceWithActivity) => ({
    ...toListItem(device, current(device)),
    ...maintenanceToWire(deps.maintenanceOf(device)),
  });
  const detail = (device: DeviceWithActivity, principal: Principal) => ({
    ...toDetail(device, current(device), principal),
    ...maintenanceToWire(deps.maintenanceOf(device)),
  });
  const read = ({ principal }: AuditContext, id: string) => {
    const { activity: _, ...device } = devices.get(principal, id);
    return device;
  };
  return new Elysia({ prefix: "/api/devices", tags: ["devices"] })
    .use(deps.auth)
    .get(
      "",
      ({ principal, query, set, request }) => {
        const page = toPage(query);
        const { items, total } = devices.list(principal, { ...query, ...page });
        Object.assign(set.headers, listHeaders(request.url, { ...page, total }));
        return items.map(item);
      },
      {
        auth: "devices:read",
        query: listDevicesQuery,
        response: { 200: t.Array(deviceListItem) },
        detail: {
          summary: "List devices",
          description:
            "All that the caller may see, or those of one `deviceType`, one `role` or one gateway (`parentDeviceId`). `X-Total-Count` and `Link` tell of more.",
        },
      },
    )
    .post(
      "",
      ({ principal, body, set }) => {
        set.status = 201;
        return detail(devices.create(principal, withRole(body)), principal);
      },
      {
        auth: "devices:write",
        audit: { action: "device.create", target: "device", created: "deviceId", read },
        body: createDeviceBody,
        response: { 201: deviceDetail },
        detail: {
          summary: "Create a device",
          description:
            "The answer carries its access token: `token`, or a random one. 403 also when the plan of the tenant allows no more devices; 409 when the dev EUI or the token belongs to another device.",
        },
      },
    )
    .get(
      "/types",
      ({ principal, query, request, set }) =>
        typeList.page({ query, request, set }, devices.countTypes(principal)),
      {
        auth: "devices:read",
        query: t.Object(typeList.fields),
        response: { 200: t.Array(t.Object({ deviceType: t.String(), count: wholeNumber() })) },
        detail: { summary: "Device types in use, with how many devices each has" },
      },
    )
    .get(
      "/assets",
      ({ principal, query, request, set }) =>
        assetList.page({ query, request, set }, devices.countAssets(principal)),
      {
        auth: "devices:read",
        query: t.Object(assetList.fields),
        response: { 200: t.Array(t.Object({ assetId: t.String(), count: wholeNumber() })) },
        detail: { summary: "Assets that devices belong to, with how many devices each has" },
      },
    )
    .get(
      "/type-defaults/:deviceType",
      ({ principal, params }) => ({
        deviceType: params.deviceType,
        ...withoutNulls(devices.getTypeDefaults(principal, params.deviceType)),
      }),
      {
        auth: "devices:read",
        response: { 200: typeDefaultsBody },
        detail: {
          summary: "Default dashboard of a device type",
          description: "As set by `applyToAllOfType`; only the type when none was.",
        },
      },
    )
    .get(
      "/:deviceId",
      ({ principal, params }) => detail(devices.get(principal, params.deviceId), principal),
      {
        auth: "devices:read",
        response: { 200: deviceDetail },
        detail: {
          summary: "Read a device",
          description: "`credentials` only for roles that may change devices.",
        },
      },
    )
    .patch(
      "/:deviceId",
      ({ principal, params, body }) =>
        detail(devices.update(principal, params.deviceId, withRole(body)), principal),
      {
        auth: "devices:write",
        audit: { action: "device.update", target: "device", read },
        body: updateDeviceBody,
        response: { 200: deviceDetail },
        detail: {
          summary: "Change a device",
          description:
            "`parentDeviceId` attaches it to a gateway of the tenant, null detaches it; `childName` is what that gateway calls it, and stays when the device gets another name. 400 for a parent that is no gateway, for a gateway that is to have one itself, and for a gateway with children that is to be none; 409 for a `childName` of another child of the gateway.",
        },
      },
    )
    .delete(
      "/:deviceId",
      async ({ principal, params }) => {
        await devices.delete(principal, params.deviceId);
        return { success: true };
      },
      {
        auth: "devices:write",
        audit: { action: "device.delete", target: "device", read },
        response: { 200: successBody },
        detail: {
          summary: "Delete a device and its data",
          description: "The children of a gateway stay, without a gateway.",
        },
      },
    )
    .get(
      "/:deviceId/children",
      ({ principal, params, query, request, set }) =>
        childList.page({ query, request, set }, devices.listChildren(principal, params.deviceId).map(item)),
      {
        auth: "devices:read",
        query: t.Object(childList.fields),
        response: { 200: t.Array(deviceListItem) },
        detail: {
          summary: "Child devices of a gateway",
          description: "Those that the caller may see, by name; none for a device that is no gateway.",
        },
      },
    )
    .get(
      "/:deviceId/rejections",
      ({ principal, params, query, request, set }) =>
        rejectionList.page({ query, request, set }, rejections.list(principal, params.deviceId)),
      {
        auth: "devices:read",
        query: t.Object(rejectionList.fields),
        response: { 200: t.Array(rejectionBody) },
        detail: {
          summary: "Messages of the device that were refused, newest first",
          description: "The newest 50, each with the reason.",
        },
      },
    );
};
