import { Link2, Plus, Router } from "lucide-preact";
import { useMemo, useState } from "preact/hooks";
import type { DeviceRow } from "../../lib/api-types.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { redrawOn } from "../../platform/redraw-on.ts";
import { useResource } from "../../platform/resource.ts";
import { mayWrite } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { EmptyPanel } from "../../ui/page/empty.tsx";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { VirtualRows } from "../../ui/page/virtual-rows.tsx";
import { CommandSnippet } from "../connect/connect-tab.tsx";
import { connectivityApi } from "../connect/connectivity-api.ts";
import { endpointFrom, gatewaySnippet, needsTls, SNIPPET_NAMES } from "../connect/snippets.ts";
import { CreateDevice } from "../devices/create-device.tsx";
import { DevicePages, noFilter } from "../devices/device-pages.ts";
import { DevicePicker } from "../devices/device-picker.tsx";
import type { DeviceTabProps } from "../devices/device-tab.types.ts";
import { useRowHeight } from "../devices/device-table.tsx";
import { devicesApi } from "../devices/devices-api.ts";
import { useDeviceRows } from "../devices/use-device-rows.ts";
import { ChildHeader, ChildLine } from "./child-line.tsx";
import { detachDevice } from "./detach-device.ts";

/** Height of the head and the frame of the table. */
const HEADER_PX = 40;

/** Example command that creates two children. */
function Example({ token }: { token: string }) {
  const catalog = useResource(connectivityApi.catalog, []);
  if (catalog.data === undefined) return null;
  const signIn = { kind: "token", token } as const;
  const { transports } = catalog.data;
  const endpoint = endpointFrom(transports, location, { signIn, secure: needsTls(transports) });
  return (
    <div class="w-full max-w-2xl text-left">
      <CommandSnippet name={SNIPPET_NAMES.mosquitto} textFor={(shell) => gatewaySnippet(endpoint, shell)} />
    </div>
  );
}

export function ChildrenTab({ device }: DeviceTabProps) {
  const { deviceId } = device;
  const pages = useMemo(() => new DevicePages({ ...noFilter, parentDeviceId: deviceId }), [deviceId]);
  const { live, onWindow, refresh } = useDeviceRows(pages);
  const [dialog, setDialog] = useState<"create" | "attach">();
  const rowHeight = useRowHeight();
  const total = pages.total.value;
  redrawOn(pages.version);
  const close = () => {
    setDialog(undefined);
    refresh();
  };
  return (
    <div class="flex flex-col gap-4">
      <div class="flex flex-wrap items-center justify-between gap-3">
        <p class="text-sm text-soft" role="status">
          {t("children.hint")} {total !== undefined && plural("devices.count", total)}
        </p>
        {mayWrite.value && (
          <div class="flex flex-wrap gap-2">
            <Button icon={Link2} size={15} onClick={() => setDialog("attach")}>
              {t("children.attach")}
            </Button>
            <Button icon={Plus} size={15} class="btn btn-sm btn-primary" onClick={() => setDialog("create")}>
              {t("children.create")}
            </Button>
          </div>
        )}
      </div>
      {pages.error.value !== undefined && <ErrorNote error={pages.error.value} onRetry={refresh} />}
      {total === 0 ? (
        <EmptyPanel icon={Router} title={t("children.none")} hint={t("children.noneHint")}>
          {device.credentials?.token && <Example token={device.credentials.token} />}
        </EmptyPanel>
      ) : (
        <div
          class="flex flex-col"
          style={{ height: `min(max(60vh, 16rem), ${(total ?? 6) * rowHeight + HEADER_PX}px)` }}
          data-testid="children"
        >
          <VirtualRows
            count={total ?? 6}
            rowHeight={rowHeight}
            label={t("tab.children")}
            header={<ChildHeader />}
            onWindow={onWindow}
            renderRow={(index) => (
              <ChildLine
                key={index}
                index={index}
                row={pages.row(index)}
                live={live}
                height={rowHeight}
                onDetach={(row) => detachDevice(row, refresh)}
              />
            )}
          />
        </div>
      )}
      {dialog === "create" && <CreateDevice gateway={device} onClose={close} />}
      {dialog === "attach" && <AttachDevices gatewayId={deviceId} onClose={close} />}
    </div>
  );
}

/** Moves existing devices behind a gateway. */
function AttachDevices({ gatewayId, onClose }: { gatewayId: string; onClose: () => void }) {
  const [selected, setSelected] = useState<readonly string[]>([]);
  const action = useAction();
  const attach = () =>
    action.run(async () => {
      for (const [index, deviceId] of selected.entries())
        try {
          await devicesApi.update(deviceId, { parentDeviceId: gatewayId });
        } catch (error) {
          setSelected(selected.slice(index)); // those before it are attached
          throw error;
        }
      toast("success", plural("children.attached", selected.length));
      onClose();
    });
  return (
    <Dialog title={t("children.attach")} onClose={onClose}>
      <div class="flex flex-col gap-4">
        <p class="text-sm text-soft">{t("children.attachHint")}</p>
        <DevicePicker
          selected={selected}
          onChange={setSelected}
          only="DEVICE"
          isOffered={({ parentDeviceId }: DeviceRow) => parentDeviceId !== gatewayId}
        />
        <ErrorNote error={action.error} />
        <div class="flex justify-end gap-2">
          <button type="button" class="btn btn-ghost" onClick={onClose}>
            {t("common.cancel")}
          </button>
          <button
            type="button"
            class="btn btn-primary"
            disabled={selected.length === 0 || action.busy}
            onClick={attach}
          >
            {t("children.attachGo")}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
