//! Generic UI components, one module each.

mod badge;
mod button;
mod calendar;
mod chart;
mod chip;
mod combobox;
mod command_palette;
mod copy;
mod dialog;
mod drawer;
mod empty;
mod field;
mod icon;
mod keyboard;
mod lazy;
mod lazy_action;
mod menu;
mod notice;
mod popover;
mod progress;
mod skeleton;
mod table;
mod time;
mod toast;
