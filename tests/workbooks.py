"""Small Excel files, written by hand: the same bytes that a spreadsheet program would put into them."""

import zipfile
from datetime import date, datetime

_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_RELS = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_PACKAGE = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
_TYPE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_STYLES = (
    f'<styleSheet {_MAIN}><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1">'
    '<border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0"/>'
    '<xf numFmtId="22" applyNumberFormat="1"/></cellXfs></styleSheet>'
)


def write_workbook(path, **sheets):
    """Write sheets, each a list of rows of None, numbers, text, truth values and dates."""
    names = list(sheets)
    listed = "".join(f'<sheet name="{name}" sheetId="{i}" r:id="rId{i}"/>' for i, name in enumerate(names, 1))
    related = "".join(
        f'<Relationship Id="rId{i}" Type="{_TYPE}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i in range(1, len(names) + 1)
    )
    styles = f'<Relationship Id="rId0" Type="{_TYPE}/styles" Target="styles.xml"/>'
    root = f'<Relationship Id="rId1" Type="{_TYPE}/officeDocument" Target="xl/workbook.xml"/>'
    with zipfile.ZipFile(path, "w") as file:
        types = "http://schemas.openxmlformats.org/package/2006/content-types"
        file.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{types}"><Default Extension="xml" ContentType="text/xml"/></Types>',
        )
        file.writestr("_rels/.rels", f"<Relationships {_PACKAGE}>{root}</Relationships>")
        file.writestr("xl/workbook.xml", f"<workbook {_MAIN} {_RELS}><sheets>{listed}</sheets></workbook>")
        file.writestr(
            "xl/_rels/workbook.xml.rels", f"<Relationships {_PACKAGE}>{styles}{related}</Relationships>"
        )
        file.writestr("xl/styles.xml", _STYLES)
        for i, rows in enumerate(sheets.values(), 1):
            lines = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in rows)
            file.writestr(
                f"xl/worksheets/sheet{i}.xml",
                f"<worksheet {_MAIN}><sheetData>{lines}</sheetData></worksheet>",
            )
    return path


def _cell(value):
    if value is None:
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, date):
        since = value - (datetime if isinstance(value, datetime) else date)(1899, 12, 30)
        return f'<c s="1"><v>{since.days + getattr(since, "seconds", 0) / 86400!r}</v></c>'
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t>{value}</t></is></c>'
    return f"<c><v>{value!r}</v></c>"
