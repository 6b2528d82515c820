import { type Position, positionKeys, readPosition } from "../../lib/console/web-mercator.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { AttributesService } from "../attributes/attributes.service.ts";
import { ATTRIBUTE_SCOPES } from "../attributes/attributes.types.ts";
import type { createDashboardData } from "./dashboard-data.ts";
import type { Widget } from "./dashboards.types.ts";

type DataOf = ReturnType<typeof createDashboardData>;

/** Adds the positions in device attributes to the data of map widgets. */
export function withPositions(dataOf: DataOf, attributes: Pick<AttributesService, "valueOf">): DataOf {
  function positionOf({ config }: Widget, deviceId: DeviceId): Position | undefined {
    const [latitude, longitude] = positionKeys(config);
    for (const scope of ATTRIBUTE_SCOPES) {
      const [north, east] = [latitude, longitude].map((key) => attributes.valueOf(deviceId, scope, key));
      const position = readPosition(north, east);
      if (position !== undefined) return position;
    }
    return undefined;
  }

  return async (principal, widgets, input) => {
    const data = await dataOf(principal, widgets, input);
    for (const widget of widgets.filter(({ type }) => type === "map")) {
      const part = data[widget.widgetId];
      if (part === undefined) continue;
      const positions: NonNullable<typeof part.positions>[number][] = [];
      for (const deviceId of part.deviceIds) {
        const position = positionOf(widget, deviceId);
        if (position !== undefined) positions.push({ deviceId, ...position });
        await workShare.pause();
      }
      data[widget.widgetId] = { ...part, positions };
    }
    return data;
  };
}
