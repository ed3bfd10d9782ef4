"""Decodes a PDF from base64 into a file, and prints the text of each page as pypdf reads it."""

import base64
import pathlib
import sys

import pypdf

coded, file = map(pathlib.Path, sys.argv[1:])
file.write_bytes(base64.b64decode(coded.read_text()))
for sheet in pypdf.PdfReader(file).pages:
    print(sheet.extract_text())
