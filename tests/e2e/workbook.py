"""Prints the type and value of every cell of a workbook as JSON, as openpyxl reads them.

Usage: `workbook.py FILE`. The result is a list of rows, and each cell is `[type, value]`.
"""

import datetime
import json
import sys

import openpyxl
from openpyxl.utils.escape import unescape


def describe(cell):
    value = cell.value
    if isinstance(value, datetime.datetime):
        # Sheets store times as fractions of days, so the value is rounded to milliseconds.
        value += datetime.timedelta(microseconds=500)
        value = value.replace(microsecond=value.microsecond // 1000 * 1000)
        return ["d", value.isoformat(sep=" ", timespec="milliseconds")]
    if isinstance(value, str):
        value = unescape(value)
    return [cell.data_type, value]


workbook = openpyxl.load_workbook(sys.argv[1])
rows = [[describe(cell) for cell in row] for sheet in workbook for row in sheet.iter_rows()]
json.dump(rows, sys.stdout)
