import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The bench serves it below this path, so that both pages share one origin and one session.
export default defineConfig({ base: "/react-list/", plugins: [react()] });
