//! The kit, a module for each part.

mod act;
mod badge;
mod button;
mod calendar;
mod chart;
mod chip;
mod command;
mod copy;
mod dialog;
mod drawer;
mod empty;
mod field;
mod icon;
mod later;
mod menu;
mod notice;
mod pick;
mod popover;
mod progress;
mod quiet;
mod skeleton;
mod table;
mod time;
mod toast;
