import { later } from "../../ui/page/later.tsx";

export const CreateDevice = later(
  () => import("./add-device-dialog.tsx"),
  ({ CreateDeviceDialog }) => CreateDeviceDialog,
);
