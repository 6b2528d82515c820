import { Elysia, type Static, t } from "elysia";
import { withoutNulls } from "../../lib/core/defined.ts";
import { omit } from "../../lib/core/omit.ts";
import type { ResponseSpace } from "../../platform/load/response-space.ts";
import { listHeaders, toPage, wholeList } from "../api/lists.ts";
import { asResponse, convertedSlices, listResponse } from "../api/responses.ts";
import { successBody, wholeNumber } from "../api/wire.schemas.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Principal } from "../users/users.types.ts";
import { FOREIGN_TOKENS_RULE } from "./chosen-tokens.ts";
import type { DeviceActivityTracker } from "./device-activity.ts";
import { withRole } from "./device-role.ts";
import {
  createDeviceBody,
  deviceDetail,
  deviceListItem,
  deviceState,
  listChildrenQuery,
  listDevicesQuery,
  typeDefaultsBody,
  updateDeviceBody,
} from "./devices.schemas.ts";
import type { DevicesService } from "./devices.service.ts";
import type { Device, DeviceFilter, DeviceMaintenance, DeviceWithActivity } from "./devices.types.ts";
import { toDetail, toListItem } from "./devices.wire.ts";
import type { SortedList } from "./devices-value-order.ts";

const assetList = wholeList({ sort: ["assetId", "count"], search: ["assetId"] });
const stateList = wholeList({ sort: ["state", "count"], search: ["state"] });
const tagList = wholeList({ sort: ["tag", "count"], search: ["tag"] });
const typeList = wholeList({ sort: ["deviceType", "count"], search: ["deviceType"] });

const listTypesQuery = t.Object({
  ...typeList.fields,
  profileId: t.Optional(t.String({ maxLength: 64, description: "only devices of this profile" })),
});

interface DevicesRoutesDeps {
  readonly devices: DevicesService;
  /** Source of the newest activity of devices. */
  readonly activity: Pick<DeviceActivityTracker, "get" | "inactivityOf">;
  /** Returns the maintenance of the device or of its gateway; alarms are muted while it lasts. */
  maintenanceOf(device: Pick<Device, "deviceId" | "parentDeviceId">): DeviceMaintenance | undefined;
  readonly listSorted: SortedList;
  readonly responses: ResponseSpace;
  readonly auth: AuthPlugin;
}

const readFrom =
  (devices: DevicesService) =>
  ({ principal }: AuditContext, id: string) => {
    const device = omit(devices.get(principal, id), "activity");
    return device;
  };

/** Converts devices, with their current state, for the API. */
function createShowing({ activity, maintenanceOf }: Pick<DevicesRoutesDeps, "activity" | "maintenanceOf">) {
  const current = (device: DeviceWithActivity) => activity.get(device.deviceId) ?? device.activity;
  const itemFor = (principal: Principal) => (device: DeviceWithActivity) =>
    toListItem(device, current(device), { principal, maintenance: maintenanceOf(device) });
  return {
    itemFor,
    detail: (device: DeviceWithActivity, principal: Principal) => ({
      ...toDetail(device, current(device), { principal, maintenance: maintenanceOf(device) }),
      inactivity: activity.inactivityOf(device, current(device)),
    }),
  };
}

export const devicesRoutes = (deps: DevicesRoutesDeps) => {
  const { devices, listSorted } = deps;
  const { itemFor, detail } = createShowing(deps);
  const list = async (principal: Principal, request: Request, query: Partial<DeviceFilter>) => {
    const page = toPage(query);
    const { total, count, slices } = await listSorted(principal, { ...query, ...page }, request.signal);
    const headers = listHeaders(request.url, { ...page, total });
    const found = { count, slices: convertedSlices(slices(), itemFor(principal)), headers };
    return asResponse<Array<Static<typeof deviceListItem>>>(
      await listResponse(deps.responses, request, found),
    );
  };
  const read = readFrom(devices);
  return new Elysia({ prefix: "/api/devices", tags: ["devices"] })
    .use(deps.auth)
    .get("", ({ principal, query, request }) => list(principal, request, query), {
      auth: "devices:read",
      query: listDevicesQuery,
      response: { 200: t.Array(deviceListItem) },
      detail: {
        operationId: "listDevices",
        summary: "List devices",
        description:
          "Lists all devices that the caller may see, or those of one `deviceType`, one `role` or one gateway (`parentDeviceId`). A `search` without `sort` lists devices first whose name has the text. `X-Total-Count` has their number, `Link` the next page.",
        errors: { 503: "Unread responses leave no memory for the response." },
      },
    })
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
          operationId: "createDevice",
          summary: "Create a device",
          description: "The response has its access token: `token`, or a random token.",
          errors: {
            ...FOREIGN_TOKENS_RULE,
            403: "The caller may not create devices, or the plan of the tenant allows no more devices.",
            409: "The dev EUI or the token belongs to another device.",
          },
          example: { name: "press 1", deviceType: "press", tags: ["line 1"] },
        },
      },
    )
    .get(
      "/types",
      ({ principal, query, request, set }) =>
        typeList.page({ query, request, set }, devices.countTypes(principal, query.profileId)),
      {
        auth: "devices:read",
        query: listTypesQuery,
        response: { 200: t.Array(t.Object({ deviceType: t.String(), count: wholeNumber() })) },
        detail: { operationId: "listDeviceTypes", summary: "List device types with their number of devices" },
      },
    )
    .get(
      "/states",
      ({ principal, query, request, set }) =>
        stateList.page({ query, request, set }, devices.countStates(principal, "with")),
      {
        auth: "devices:read",
        query: t.Object(stateList.fields),
        response: { 200: t.Array(t.Object({ state: deviceState, count: wholeNumber() })) },
        detail: {
          operationId: "listDeviceStates",
          summary: "Count devices by state",
          description: "States without devices are left out.",
        },
      },
    )
    .get(
      "/tags",
      async ({ principal, query, request, set }) =>
        tagList.page({ query, request, set }, await devices.countTags(principal)),
      {
        auth: "devices:read",
        query: t.Object(tagList.fields),
        response: { 200: t.Array(t.Object({ tag: t.String(), count: wholeNumber() })) },
        detail: {
          operationId: "listDeviceTags",
          summary: "List tags with their number of devices",
          errors: { 413: "There are more than 20,000 different tags." },
        },
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
        detail: { operationId: "listAssets", summary: "List assets with their number of devices" },
      },
    )
    .get(
      "/type-defaults/:deviceType",
      ({ principal, params }) => withoutNulls(devices.getTypeDefaults(principal, params.deviceType)),
      {
        auth: "devices:read",
        response: { 200: typeDefaultsBody },
        detail: {
          operationId: "getDeviceTypeDefaults",
          summary: "Get the default dashboard of a device type",
          description: "`applyToAllOfType` sets it. The response has only the type if there is none.",
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
          operationId: "getDevice",
          summary: "Read a device",
          description: "The response has `credentials` only for roles that may change devices.",
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
          operationId: "updateDevice",
          summary: "Change a device",
          description:
            "`parentDeviceId` attaches it to a gateway of the tenant, null detaches it; `childName` is its name at that gateway, and stays when the device is renamed.",
          errors: {
            400: "The parent is not a gateway, the child is a gateway, or the role of a gateway with children would change.",
            409: "Another child of the gateway has this `childName`, another device has the dev EUI, or a caller without access to all devices chose the name of another device.",
          },
          example: { label: "by the window", targetDashboardId: "01996d2e-5a3c-7b10-9c0e-3f1d2a4b5c71" },
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
          operationId: "deleteDevice",
          summary: "Delete a device and its data",
          description: "The children of a gateway stay without a gateway.",
        },
      },
    )
    .get(
      "/:deviceId/children",
      ({ principal, params, query, request }) =>
        list(principal, request, {
          ...query,
          parentDeviceId: devices.ensureVisible(principal, params.deviceId),
        }),
      {
        auth: "devices:read",
        query: listChildrenQuery,
        response: { 200: t.Array(deviceListItem) },
        detail: {
          operationId: "listDeviceChildren",
          summary: "List the child devices of a gateway",
          description: "Lists children that the caller may see, by name. Empty if it is not a gateway.",
          errors: { 503: "Unread responses leave no memory for the response." },
        },
      },
    );
};
