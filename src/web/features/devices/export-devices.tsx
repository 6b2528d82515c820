import { Download } from "lucide-preact";
import { t } from "../../platform/i18n/i18n.ts";
import { toast } from "../../platform/toasts.ts";
import { errorText } from "../../ui/error-text.ts";
import { saveFile } from "../../ui/save-file.ts";
import { useAction } from "../../ui/use-form.ts";
import { bulkApi } from "../device-import/bulk-api.ts";

/** All devices that the reader may see, as a file that can be imported again. */
export function ExportDevices({ class: className = "btn btn-sm" }: { class?: string }) {
  const action = useAction();
  const save = () =>
    action.run(async () => {
      try {
        saveFile(await bulkApi.export(), "devices.csv");
      } catch (error) {
        toast("error", errorText(error));
      }
    });
  return (
    <button type="button" class={className} disabled={action.busy} onClick={save}>
      <Download size={16} aria-hidden="true" />
      {t("import.export")}
    </button>
  );
}
