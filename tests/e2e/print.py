"""Decodes a PDF from base64 into a file, and prints the text of each page.

Usage: `print.py BASE64_FILE PDF_FILE`.
"""

import base64
import pathlib
import sys

import pypdf

source, target = map(pathlib.Path, sys.argv[1:])
target.write_bytes(base64.b64decode(source.read_text()))
for page in pypdf.PdfReader(target).pages:
    print(page.extract_text())
