import { Search } from "lucide-preact";
import { t } from "../../platform/i18n/i18n.ts";

/** Input of a search for devices within another form, which Enter does not submit. */
export const DeviceSearch = ({ text, onText }: { text: string; onText: (text: string) => void }) => (
  <label class="input input-sm w-full">
    <Search size={15} class="text-soft" aria-hidden="true" />
    <input
      type="search"
      value={text}
      placeholder={t("devices.search")}
      aria-label={t("access.findDevice")}
      onInput={(e) => onText(e.currentTarget.value)}
      onKeyDown={(e) => e.key === "Enter" && e.preventDefault()}
    />
  </label>
);
