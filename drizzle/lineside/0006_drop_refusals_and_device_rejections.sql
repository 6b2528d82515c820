DROP TABLE `device_rejections`;--> statement-breakpoint
DROP TABLE `refusals`;